package protocol

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// project is a configuration with a state of its own, like a folder in which people run Terraform. Its methods are what
// they run there.
type project struct {
	t         *testing.T
	leaves    *leaves
	text      string // of the configuration
	config    configuration
	variables map[string]variable // by their names
	state     state
	demanded  []string             // addresses of resources that the next apply replaces
	shown     map[string]cty.Value // what data sources have read, by their addresses
	cli       *terraform           // nil unless Terraform runs the project
	over      <-chan struct{}      // ends the time of applies; nil if they have all that they want
}

// variable is a value of a variable, which may be known during an apply only.
type variable struct {
	value cty.Value
	late  bool
}

// instance is a resource in a state.
type instance struct {
	address, typeName, provider string

	value    cty.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	version  int64
	tainted  bool
}

// state is resources in the order in which they were created.
type state []*instance

// find returns the resource with this address, or nil.
func (s *state) find(address string) *instance {
	for _, one := range *s {
		if one.address == address {
			return one
		}
	}
	return nil
}

func (s *state) drop(address string) {
	*s = slices.DeleteFunc(*s, func(i *instance) bool { return i.address == address })
}

// project returns a project with a configuration and without a state. Without a provider block of its own, it knows the
// contexts of the leaves' kubeconfig.
func (l *leaves) project(t *testing.T, config string) *project {
	t.Helper()
	p := &project{t: t, leaves: l, variables: map[string]variable{}}
	return p.configure(config)
}

// configure replaces the configuration, and returns the project.
func (p *project) configure(config string) *project {
	p.t.Helper()
	var err error
	p.text = config
	if p.config, err = parse(p.text); err == nil && p.config.find("liqo") == nil {
		p.text = fmt.Sprintf("provider \"liqo\" {\n  config_path = %q\n}\n", p.leaves.kubeconfig) + config
		p.config, err = parse(p.text)
	}
	must(p.t, err)
	return p
}

// set gives a variable a value, and returns the project.
func (p *project) set(name string, value cty.Value) *project {
	p.variables[name] = variable{value: value}
	return p
}

// unknown gives a variable a value that only an apply knows, and returns the project.
func (p *project) unknown(name string, value cty.Value) *project {
	p.variables[name] = variable{value: value, late: true}
	return p
}

// validate is `terraform validate`, which must succeed.
func (p *project) validate() {
	p.t.Helper()
	if f := p.terraform(); f != nil {
		f.write()
		f.must("validate")
		return
	}
	r := p.begin()
	r.validate()
	p.succeeded(r.outcome)
}

// plan is `terraform plan`, which must succeed.
func (p *project) plan() *outcome {
	p.t.Helper()
	return p.succeeded(p.tryPlan(false).outcome)
}

// planFails is `terraform plan`, which must fail and say these sentences.
func (p *project) planFails(sentences ...string) *outcome {
	p.t.Helper()
	return p.refused(p.tryPlan(false).outcome, sentences)
}

// apply is `terraform apply`, which must succeed. The next plan must be empty.
func (p *project) apply() *outcome {
	p.t.Helper()
	applied := p.applyOnce()
	p.plan().isEmpty()
	return applied
}

// applyOnce is apply without a look at the next plan.
func (p *project) applyOnce() *outcome {
	p.t.Helper()
	return p.succeeded(p.tryApply(false))
}

// applyFails is `terraform apply`, which must fail and say these sentences.
func (p *project) applyFails(sentences ...string) *outcome {
	p.t.Helper()
	return p.refused(p.tryApply(false), sentences)
}

// applying begins `terraform apply`, which must succeed. It returns when this happens. The returned function waits for
// the end.
func (p *project) applying(happens <-chan struct{}) (ends func()) {
	p.t.Helper()
	var applied *outcome
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		applied = p.tryApply(false)
	}()
	p.t.Cleanup(func() { <-ended })
	select {
	case <-happens:
	case <-ended:
		p.t.Fatalf("the apply has ended before:\n%s", applied.text.String())
	}
	return func() {
		p.t.Helper()
		<-ended
		p.succeeded(applied)
	}
}

// destroy is `terraform destroy`, which must succeed.
func (p *project) destroy() *outcome {
	p.t.Helper()
	destroyed := p.succeeded(p.tryApply(true))
	p.isNotInTheState()
	return destroyed
}

// destroyFails is `terraform destroy`, which must fail and say these sentences.
func (p *project) destroyFails(sentences ...string) {
	p.t.Helper()
	p.refused(p.tryApply(true), sentences)
}

// imports is `terraform import`, which must succeed.
func (p *project) imports(address, id string) {
	p.t.Helper()
	p.succeeded(p.tryImport(address, id))
}

// importFails is `terraform import`, which must fail and say these sentences.
func (p *project) importFails(address, id string, sentences ...string) {
	p.t.Helper()
	p.refused(p.tryImport(address, id), sentences)
}

// edit changes the state, by itself or by a command of Terraform.
func (p *project) edit(change func(), command ...string) {
	p.t.Helper()
	if f := p.terraform(); f != nil {
		f.must(command...)
		f.read()
		return
	}
	change()
}

// forget is `terraform state rm`.
func (p *project) forget(address string) {
	p.t.Helper()
	p.edit(func() { p.state.drop(address) }, "state", "rm", address)
}

// taint is `terraform taint`.
func (p *project) taint(address string) {
	p.t.Helper()
	p.edit(func() { p.instance(address).tainted = true }, "taint", address)
}

// untaint is `terraform untaint`.
func (p *project) untaint(address string) {
	p.t.Helper()
	p.edit(func() { p.instance(address).tainted = false }, "untaint", address)
}

// replacing demands that the next apply replaces a resource, as its `-replace` does.
func (p *project) replacing(address string) { p.demanded = append(p.demanded, address) }

// value returns an attribute in the state, or of a data source, as text; see [at] and [shown].
func (p *project) value(address string, steps ...any) string {
	p.t.Helper()
	if value, ok := p.shown[address]; ok {
		return shown(at(value, steps...))
	}
	return shown(at(p.instance(address).value, steps...))
}

// has fails the test unless an attribute in the state, or of a data source, is the expected one.
func (p *project) has(address, expected string, steps ...any) {
	p.t.Helper()
	if got := p.value(address, steps...); got != expected {
		p.t.Errorf("%v of %s is %s, not %s", steps, address, got, expected)
	}
}

func (p *project) instance(address string) *instance {
	p.t.Helper()
	found := p.state.find(address)
	if found == nil {
		p.t.Fatalf("the state has no %s", address)
	}
	return found
}

func (p *project) succeeded(o *outcome) *outcome {
	p.t.Helper()
	if o.failed {
		p.t.Fatal(o.text.String())
	}
	return o
}

func (p *project) refused(o *outcome, sentences []string) *outcome {
	p.t.Helper()
	if !o.failed {
		p.t.Fatalf("the command did not fail:\n%s", o.text.String())
	}
	o.says(sentences...)
	return o
}

// tryPlan plans what is configured, or a destroy of everything.
func (p *project) tryPlan(destroy bool) *run {
	if f := p.terraform(); f != nil {
		return &run{project: p, outcome: f.plan(destroy)}
	}
	r := p.begin()
	defer r.end()
	r.planning, r.destroy = true, destroy
	if r.validate(); !r.outcome.failed {
		r.plan()
	}
	p.shown = r.read
	return r
}

// tryApply plans and applies the plan, each with a provider of its own. If there is a plan, the state is the new one,
// also if the apply fails.
func (p *project) tryApply(destroy bool) *outcome {
	if f := p.terraform(); f != nil {
		return f.apply(destroy)
	}
	planned := p.tryPlan(destroy)
	if planned.outcome.failed {
		return planned.outcome
	}
	r := p.begin()
	defer r.end()
	r.state, r.outcome, r.destroy = planned.state, planned.outcome, destroy
	r.apply()
	p.state, p.demanded = r.state, nil
	maps.Copy(p.shown, r.read)
	return r.outcome
}

// tryImport reads a resource into the state.
func (p *project) tryImport(address, id string) *outcome {
	if f := p.terraform(); f != nil {
		return f.importInto(address, id)
	}
	r := p.begin()
	defer r.end()
	switch b := p.config.find(address); {
	case b == nil:
		r.outcome.fail(address, errors.New("Resource configuration does not exist"))
	case r.state.find(address) != nil:
		r.outcome.fail(address, errors.New("Resource already managed by Terraform"))
	default:
		r.importInto(b, id, nil)
	}
	p.state = r.state
	return r.outcome
}
