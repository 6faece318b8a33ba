package protocol

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/leafmesh/terraform-provider-liqo/internal/provider"
)

// cli is the Terraform that runs all projects in place of [run], which imitates it. Then the same tests show whether
// the imitation is right.
var cli = os.Getenv("PROTOCOL_CLI")

// terraform is a folder in which Terraform runs. The provider is in this process, and Terraform attaches to it. For
// each of several provider blocks, Terraform starts a provider of its own.
type terraform struct {
	*project

	folder, reattach string
	attempts         int
}

// terraform returns the project's folder, or nil if no Terraform runs.
func (p *project) terraform() *terraform {
	if cli == "" {
		return nil
	}
	if p.cli == nil {
		p.cli = &terraform{project: p, folder: p.t.TempDir(), reattach: p.attach()}
	}
	return p.cli
}

// attach serves a provider until the end of the test. It returns the value of TF_REATTACH_PROVIDERS.
func (p *project) attach() string {
	p.t.Helper()
	ctx, end := context.WithCancel(context.Background())
	started, ended := make(chan *plugin.ReattachConfig), make(chan struct{})
	liqo := provider.New("test")
	served := func() tfprotov6.ProviderServer { return p.newServer(liqo) }
	go func() {
		_ = tf6server.Serve("leafmesh/liqo", served, tf6server.WithoutLogStderrOverride(),
			tf6server.WithDebug(ctx, started, ended), tf6server.WithGoPluginLogger(hclog.NewNullLogger()))
	}()
	p.t.Cleanup(func() {
		end()
		<-ended
		liqo.Close()
	})
	config := <-started
	text, err := json.Marshal(map[string]any{"leafmesh/liqo": map[string]any{
		"Protocol": config.Protocol, "ProtocolVersion": config.ProtocolVersion, "Pid": config.Pid, "Test": config.Test,
		"Addr": map[string]string{"Network": config.Addr.Network(), "String": config.Addr.String()},
	}})
	must(p.t, err)
	return string(text)
}

// run runs a command. It reports what it says, and whether it succeeds.
func (f *terraform) run(args ...string) (string, bool) {
	f.t.Helper()
	command := exec.CommandContext(f.t.Context(), cli, args...)
	command.Dir = f.folder
	command.Env = append(os.Environ(), "TF_CLI_ARGS=-no-color", "TF_INPUT=0", "CHECKPOINT_DISABLE=1")
	if len(f.config.of("provider")) > 1 {
		file, err := overrides()
		must(f.t, err)
		command.Env = append(command.Env, "TF_CLI_CONFIG_FILE="+file)
	} else {
		command.Env = append(command.Env, "TF_CLI_CONFIG_FILE=/dev/null", "TF_REATTACH_PROVIDERS="+f.reattach)
	}
	output, err := command.CombinedOutput()
	return overridden.ReplaceAllString(string(output), ""), err == nil
}

// overridden is what Terraform says of [overrides].
var overridden = regexp.MustCompile(`(?s)\nWarning: Provider development overrides are in effect\n.*?\nreleases\.\n`)

// overrides returns the configuration of a CLI that takes the provider from a folder.
var overrides = sync.OnceValues(func() (file string, err error) {
	folder := os.TempDir() // of all these tests
	build := exec.Command("go", "build", "-o", folder+"/", "../..")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", build, err, output)
	}
	text := fmt.Sprintf("provider_installation {\n  dev_overrides { \"leafmesh/liqo\" = %q }\n  direct {}\n}\n", folder)
	file = filepath.Join(folder, "cli.tfrc")
	return file, os.WriteFile(file, []byte(text), 0o600)
})

// must is run for a command that can't fail.
func (f *terraform) must(args ...string) string {
	f.t.Helper()
	output, ok := f.run(args...)
	if !ok {
		f.t.Fatalf("terraform %v: %s", args, output)
	}
	return output
}

// reference is a use of a variable.
var reference = regexp.MustCompile(`\bvar\.(\w+)`)

// write writes the configuration. A variable whose value only an apply knows is the output of a resource that each
// apply replaces.
func (f *terraform) write() {
	f.t.Helper()
	f.attempts++
	values, extra := map[string]json.RawMessage{}, `
		terraform {
		  required_providers {
		    liqo = { source = "leafmesh/liqo" }
		  }
		}`
	late := func(name string) bool { return f.variables[name].late }
	declared := map[string]bool{}
	for _, b := range f.config.of("variable") {
		declared[b.address] = true
	}
	for name, v := range f.variables {
		values[name] = sure(ctyjson.Marshal(v.value, v.value.Type()))
		if !declared[name] {
			extra += fmt.Sprintf("\nvariable %q {}", name)
		}
		if late(name) {
			extra += fmt.Sprintf("\nresource \"terraform_data\" %q {\n  input = var.%[1]s\n  triggers_replace = %d\n}",
				name, f.attempts)
		}
	}
	config := reference.ReplaceAllStringFunc(f.text, func(use string) string {
		name := strings.TrimPrefix(use, "var.")
		if late(name) {
			return "terraform_data." + name + ".output"
		}
		return use
	})
	for file, text := range map[string]string{
		"main.tf": config, "extra.tf": extra, "terraform.tfvars.json": string(sure(json.Marshal(values))),
	} {
		must(f.t, os.WriteFile(filepath.Join(f.folder, file), []byte(text), 0o600))
	}
}

// plan is `terraform plan`.
func (f *terraform) plan(destroy bool) *outcome {
	f.t.Helper()
	f.write()
	args := []string{"plan", "-out=plan", fmt.Sprintf("-destroy=%t", destroy)}
	for _, address := range f.demanded {
		args = append(args, "-replace="+address)
	}
	o := &outcome{t: f.t}
	output, ok := f.run(args...)
	o.text.WriteString(output)
	if o.failed = !ok; o.failed {
		return o
	}
	var plan tfjson.Plan
	must(f.t, json.Unmarshal([]byte(f.must("show", "-json", "plan")), &plan))
	for _, one := range plan.ResourceChanges {
		if one.Mode != tfjson.ManagedResourceMode || one.Type == "terraform_data" {
			continue
		}
		kind := schemaFor("resource", one.Type).of
		o.changes = append(o.changes, &change{
			address: one.Address, action: actionOf(one.Change.Actions), imported: one.Change.Importing != nil,
			prior:   &instance{address: one.Address, value: f.value(one.Change.Before, kind)},
			planned: unknownWhere(f.value(one.Change.After, kind), one.Change.AfterUnknown),
		})
	}
	f.shown = map[string]cty.Value{}
	f.show(plan.PriorState)
	return o
}

// apply is `terraform apply`.
func (f *terraform) apply(destroy bool) *outcome {
	f.t.Helper()
	o := f.plan(destroy)
	if o.failed {
		return o
	}
	output, ok := f.run("apply", "plan")
	o.text.WriteString(output)
	o.failed, f.demanded = !ok, nil
	f.read()
	return o
}

// importInto is `terraform import`.
func (f *terraform) importInto(address, id string) *outcome {
	f.t.Helper()
	f.write()
	o := &outcome{t: f.t}
	output, ok := f.run("import", address, id)
	o.text.WriteString(output)
	o.failed = !ok
	f.read()
	return o
}

// read copies Terraform's state into the project.
func (f *terraform) read() {
	f.t.Helper()
	var shown tfjson.State
	must(f.t, json.Unmarshal([]byte(f.must("show", "-json")), &shown))
	f.state = f.show(&shown)
}

// show copies the data sources of a state into the project, and returns its resources.
func (f *terraform) show(shown *tfjson.State) state {
	f.t.Helper()
	var resources state
	if shown == nil || shown.Values == nil {
		return nil
	}
	for _, one := range shown.Values.RootModule.Resources {
		switch {
		case one.Mode == tfjson.DataResourceMode:
			f.shown[one.Address] = f.value(one.AttributeValues, schemaFor("data", one.Type).of)
		case one.Type != "terraform_data":
			resources = append(resources, &instance{
				address: one.Address, typeName: one.Type, tainted: one.Tainted,
				value: f.value(one.AttributeValues, schemaFor("resource", one.Type).of),
			})
		}
	}
	return resources
}

// value returns a value that Terraform has shown as JSON. A plan leaves out what is unknown, which is null here.
func (f *terraform) value(shown any, kind cty.Type) cty.Value {
	f.t.Helper()
	return sure(ctyjson.Unmarshal(sure(json.Marshal(shown)), kind))
}

// unknownWhere returns a value with what Terraform marks as unknown.
func unknownWhere(value cty.Value, marks any) cty.Value {
	if marks == true {
		return cty.UnknownVal(value.Type())
	}
	fields, ok := marks.(map[string]any)
	if !ok || value.IsNull() || !value.Type().IsObjectType() {
		return value
	}
	attributes := value.AsValueMap()
	for name, mark := range fields {
		attributes[name] = unknownWhere(attributes[name], mark)
	}
	return cty.ObjectVal(attributes)
}

func actionOf(actions tfjson.Actions) string {
	if actions.Replace() {
		return "replace"
	}
	return string(actions[0])
}
