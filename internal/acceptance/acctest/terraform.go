package acctest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/leafmesh/terraform-provider-liqo/internal/provider"
)

// Apply runs steps of Terraform's testing framework with the provider of this process, and destroys what they created.
// The framework runs eight or nine commands for each step. This runs a plan, an apply, and a plan that must be empty.
// It shows a plan or a state only if the step checks it.
func Apply(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	w := &workspace{t, t.TempDir()}
	defer w.destroy() // whatever has failed
	for i, step := range steps {
		err := w.take(step)
		switch expected := step.ExpectError; {
		case expected == nil && err != nil:
			t.Fatalf("step %d of %d: %v", i+1, len(steps), err)
		case expected != nil && err == nil:
			t.Fatalf("step %d of %d did not fail; expected: %s", i+1, len(steps), expected)
		case expected != nil && !expected.MatchString(err.Error()):
			t.Fatalf("step %d of %d: %v\ninstead of: %s", i+1, len(steps), err, expected)
		}
	}
}

// workspace is a folder with a configuration and its state.
type workspace struct {
	t   *testing.T
	dir string
}

// known are the fields of a step that [workspace.take] knows.
var known = []string{
	"PreConfig", "Config", "PlanOnly", "Destroy", "ExpectError", "ConfigPlanChecks", "ConfigStateChecks", "ResourceName",
	"ImportState", "ImportStateId", "ImportStatePersist", "ImportStateVerify", "ImportStateVerifyIgnore",
}

// take runs one step. A field that it does not know would check nothing.
func (w *workspace) take(step resource.TestStep) error {
	w.t.Helper()
	for field, value := range reflect.ValueOf(step).Fields() {
		if !value.IsZero() && !slices.Contains(known, field.Name) {
			w.t.Fatalf("nothing looks at %s of a test step", field.Name)
		}
	}
	if step.PreConfig != nil {
		step.PreConfig()
	}
	config := filepath.Join(w.dir, "main.tf")
	if step.ImportState && !step.ImportStatePersist {
		current, err := os.ReadFile(config)
		step.Config = string(current)
		return errors.Join(err, w.importBeside(step))
	}
	if err := os.WriteFile(config, []byte(step.Config), 0o600); err != nil {
		return err
	}
	if step.ImportState {
		_, err := w.run("import", step.ResourceName, step.ImportStateId)
		return errors.Join(err, w.checkState(step))
	}
	err := w.plan(step.PlanOnly, fmt.Sprintf("-destroy=%t", step.Destroy))
	if err == nil {
		err = w.checkPlan(step)
	}
	if err != nil || step.PlanOnly {
		return err
	}
	if _, err := w.run("apply", planFile); err != nil || step.Destroy {
		return err
	}
	if err := w.checkState(step); err != nil {
		return err
	}
	return w.plan(true)
}

// importBeside imports a resource into another state than the one that has it, and checks that state. With
// ImportStateVerify, both must be equal, but for some attributes.
func (w *workspace) importBeside(step resource.TestStep) error {
	other := &workspace{w.t, w.t.TempDir()}
	step.PreConfig, step.ImportStatePersist = nil, true
	if err := other.take(step); err != nil || !step.ImportStateVerify {
		return err
	}
	var own, imported tfjson.State
	if err := errors.Join(w.show(&own), other.show(&imported)); err != nil {
		return err
	}
	got := attributes(imported, step.ResourceName)
	for name, value := range attributes(own, step.ResourceName) {
		if !slices.Contains(step.ImportStateVerifyIgnore, name) && !reflect.DeepEqual(got[name], value) {
			return fmt.Errorf("%s is imported as %v, not %v", name, got[name], value)
		}
	}
	return nil
}

// attributes returns those of a resource, by their names.
func attributes(state tfjson.State, address string) map[string]any {
	for _, one := range state.Values.RootModule.Resources {
		if one.Address == address {
			return one.AttributeValues
		}
	}
	return nil
}

// planFile is the name of the last plan in a workspace.
const planFile = "plan"

// plan writes a plan. It returns an error, with the plan, if that has changes and must not.
func (w *workspace) plan(mustBeEmpty bool, flags ...string) error {
	output, err := w.run(append([]string{"plan", "-out=" + planFile, "-detailed-exitcode"}, flags...)...)
	exit, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case !failed || exit.ExitCode() != 2:
		return err
	case mustBeEmpty:
		return fmt.Errorf("the plan is not empty:\n%s", output)
	default:
		return nil
	}
}

func (w *workspace) checkPlan(step resource.TestStep) error {
	if len(step.ConfigPlanChecks.PreApply) == 0 {
		return nil
	}
	var plan tfjson.Plan
	if err := w.show(&plan, planFile); err != nil {
		return err
	}
	var errs []error
	for _, check := range step.ConfigPlanChecks.PreApply {
		var response plancheck.CheckPlanResponse
		check.CheckPlan(w.t.Context(), plancheck.CheckPlanRequest{Plan: &plan}, &response)
		errs = append(errs, response.Error)
	}
	return errors.Join(errs...)
}

func (w *workspace) checkState(step resource.TestStep) error {
	if len(step.ConfigStateChecks) == 0 {
		return nil
	}
	var state tfjson.State
	if err := w.show(&state); err != nil {
		return err
	}
	var errs []error
	for _, check := range step.ConfigStateChecks {
		var response statecheck.CheckStateResponse
		check.CheckState(w.t.Context(), statecheck.CheckStateRequest{State: &state}, &response)
		errs = append(errs, response.Error)
	}
	return errors.Join(errs...)
}

// show reads the state, or the plan in a file.
func (w *workspace) show(into interface{ UseJSONNumber(exact bool) }, file ...string) error {
	into.UseJSONNumber(true)
	output, err := w.run(append([]string{"show", "-json"}, file...)...)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(output), into)
}

// destroy destroys what the state has. Without a refresh, it needs no provider for which nothing is left.
func (w *workspace) destroy() {
	w.t.Helper()
	if _, err := os.Stat(filepath.Join(w.dir, "terraform.tfstate")); err != nil {
		return // nothing was applied
	}
	if _, err := w.run("destroy", "-auto-approve", "-refresh=false"); err != nil {
		w.t.Error(err)
	}
}

// run runs a command of Terraform with a provider that ends with it, and returns its output.
func (w *workspace) run(args ...string) (string, error) {
	liqo := provider.New("test")
	defer liqo.Close()
	ctx, end := context.WithCancel(w.t.Context())
	started, ended := make(chan *plugin.ReattachConfig, 1), make(chan struct{})
	var served error
	go func() {
		served = tf6server.Serve("liqo", providerserver.NewProtocol6(liqo), tf6server.WithDebug(ctx, started, ended),
			tf6server.WithLoggingSink(w.t), tf6server.WithoutLogStderrOverride(),
			tf6server.WithGoPluginLogger(hclog.NewNullLogger()))
	}()
	defer func() {
		end()
		<-ended
	}()
	at := <-started
	if at == nil {
		return "", errors.Join(errors.New("the provider does not start"), served)
	}
	attached := map[string]any{}
	for _, registry := range Registries() {
		for _, namespace := range []string{"leafmesh", "hashicorp"} { // the latter for a block without source
			attached[registry+"/"+namespace+"/liqo"] = map[string]any{
				"Protocol": at.Protocol, "ProtocolVersion": at.ProtocolVersion, "Pid": at.Pid, "Test": at.Test,
				"Addr": map[string]string{"Network": at.Addr.Network(), "String": at.Addr.String()},
			}
		}
	}
	reattach, err := json.Marshal(attached)
	if err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, os.Getenv("TF_ACC_TERRAFORM_PATH"), args...)
	command.Dir = w.dir
	command.Env = append(os.Environ(), "TF_REATTACH_PROVIDERS="+string(reattach), "TF_CLI_ARGS=-no-color", "TF_INPUT=0",
		"CHECKPOINT_DISABLE=1")
	output, err := command.Output()
	if exit, failed := errors.AsType[*exec.ExitError](err); failed {
		err = fmt.Errorf("terraform %s: %w\n%s", args[0], err, exit.Stderr)
	}
	return string(output), err
}
