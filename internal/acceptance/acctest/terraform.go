package acctest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-exec/tfexec"
	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/leafmesh/terraform-provider-liqo/internal/provider"
)

// Wrapper stands between Terraform and the provider.
type Wrapper func(tfprotov6.ProviderServer) tfprotov6.ProviderServer

// Apply runs steps of Terraform's testing framework with the provider of this process, and destroys what they created.
// The framework runs eight or nine commands for each step. This runs a plan, an apply, and a plan that must be empty.
// It shows a plan or a state only if the step checks it.
func Apply(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	ApplyThrough(t, func(server tfprotov6.ProviderServer) tfprotov6.ProviderServer { return server }, steps...)
}

// ApplyThrough is like Apply, with a wrapper between Terraform and the provider.
func ApplyThrough(t *testing.T, wrap Wrapper, steps ...resource.TestStep) {
	t.Helper()
	w := newWorkspace(t, wrap)
	defer w.destroy(t) // whatever has failed
	for i, step := range steps {
		err := w.take(t.Context(), step)
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
	t         *testing.T
	dir       string
	terraform *tfexec.Terraform
	wrap      Wrapper
}

func newWorkspace(t *testing.T, wrap Wrapper) *workspace {
	t.Helper()
	dir := t.TempDir()
	terraform, err := tfexec.NewTerraform(dir, os.Getenv("TF_ACC_TERRAFORM_PATH"))
	if err != nil {
		t.Fatal(err)
	}
	return &workspace{t, dir, terraform, wrap}
}

// The names of the files in a workspace.
const (
	planFile   = "plan"
	configFile = "main.tf"
)

// take runs one step.
func (w *workspace) take(ctx context.Context, step resource.TestStep) error {
	if step.PreConfig != nil {
		step.PreConfig()
	}
	if step.ImportState && !step.ImportStatePersist {
		return w.importBeside(ctx, step)
	}
	if err := os.WriteFile(filepath.Join(w.dir, configFile), []byte(step.Config), 0o600); err != nil {
		return err
	}
	if step.ImportState {
		return w.importResource(ctx, step)
	}
	if changes, err := w.plan(ctx, step.Destroy, step.ConfigPlanChecks.PreApply); err != nil || step.PlanOnly {
		return errors.Join(err, w.planIs(ctx, changes, step.ExpectNonEmptyPlan))
	}
	err := w.command(ctx, func(attached tfexec.ReattachInfo) error {
		return w.terraform.Apply(ctx, tfexec.DirOrPlan(planFile), tfexec.Reattach(attached))
	})
	if err != nil || step.Destroy {
		return err
	}
	if err := w.checkState(ctx, step); err != nil {
		return err
	}
	if err := checkPlan(ctx, nil, step.ConfigPlanChecks.PostApplyPreRefresh); err != nil {
		return err
	}
	changes, err := w.plan(ctx, false, step.ConfigPlanChecks.PostApplyPostRefresh)
	return errors.Join(err, w.planIs(ctx, changes, step.ExpectNonEmptyPlan))
}

// importBeside imports a resource into another state than the one that has it, and checks that state. With
// ImportStateVerify, both must be equal, but for some attributes.
func (w *workspace) importBeside(ctx context.Context, step resource.TestStep) error {
	other := newWorkspace(w.t, w.wrap)
	if step.Config == "" {
		config, err := os.ReadFile(filepath.Join(w.dir, configFile))
		if err != nil {
			return err
		}
		step.Config = string(config)
	}
	verify := step.ImportStateVerify
	step.ImportStatePersist, step.ImportStateVerify = true, false
	if err := other.take(ctx, step); err != nil || !verify {
		return err
	}
	has, err := w.show(ctx)
	imported, err2 := other.show(ctx)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	got := attributes(imported, step.ResourceName)
	for name, value := range attributes(has, step.ResourceName) {
		if !slices.Contains(step.ImportStateVerifyIgnore, name) && !reflect.DeepEqual(got[name], value) {
			return fmt.Errorf("%s is imported as %v, not %v", name, got[name], value)
		}
	}
	return nil
}

// attributes returns those of a resource, by their names.
func attributes(state *tfjson.State, address string) map[string]any {
	for _, one := range state.Values.RootModule.Resources {
		if one.Address == address {
			return one.AttributeValues
		}
	}
	return nil
}

func (w *workspace) importResource(ctx context.Context, step resource.TestStep) error {
	err := w.command(ctx, func(attached tfexec.ReattachInfo) error {
		return w.terraform.Import(ctx, step.ResourceName, step.ImportStateId, tfexec.Reattach(attached))
	})
	return errors.Join(err, w.checkState(ctx, step))
}

// plan writes a plan, and reports whether it has changes.
func (w *workspace) plan(ctx context.Context, destroy bool, checks []plancheck.PlanCheck) (changes bool, err error) {
	err = w.command(ctx, func(attached tfexec.ReattachInfo) (err error) {
		changes, err = w.terraform.Plan(ctx, tfexec.Out(planFile), tfexec.Destroy(destroy), tfexec.Reattach(attached))
		return err
	})
	if err != nil || len(checks) == 0 {
		return changes, err
	}
	var shown *tfjson.Plan
	err = w.command(ctx, func(attached tfexec.ReattachInfo) (err error) {
		shown, err = w.terraform.ShowPlanFile(ctx, planFile, tfexec.Reattach(attached), tfexec.JSONNumber(true))
		return err
	})
	return changes, errors.Join(err, checkPlan(ctx, shown, checks))
}

func checkPlan(ctx context.Context, plan *tfjson.Plan, checks []plancheck.PlanCheck) error {
	var errs []error
	for _, check := range checks {
		var response plancheck.CheckPlanResponse
		check.CheckPlan(ctx, plancheck.CheckPlanRequest{Plan: plan}, &response)
		errs = append(errs, response.Error)
	}
	return errors.Join(errs...)
}

// planIs returns an error, with the plan, unless that has changes as expected.
func (w *workspace) planIs(ctx context.Context, changes, expected bool) error {
	if changes == expected {
		return nil
	}
	return w.command(ctx, func(attached tfexec.ReattachInfo) error {
		text, err := w.terraform.ShowPlanFileRaw(ctx, planFile, tfexec.Reattach(attached))
		return errors.Join(err, fmt.Errorf("changes are planned: %v, expected: %v\n%s", changes, expected, text))
	})
}

func (w *workspace) checkState(ctx context.Context, step resource.TestStep) error {
	if step.Check != nil {
		if err := step.Check(nil); err != nil {
			return err
		}
	}
	if len(step.ConfigStateChecks) == 0 {
		return nil
	}
	state, err := w.show(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, check := range step.ConfigStateChecks {
		var response statecheck.CheckStateResponse
		check.CheckState(ctx, statecheck.CheckStateRequest{State: state}, &response)
		errs = append(errs, response.Error)
	}
	return errors.Join(errs...)
}

func (w *workspace) show(ctx context.Context) (state *tfjson.State, err error) {
	err = w.command(ctx, func(attached tfexec.ReattachInfo) (err error) {
		state, err = w.terraform.Show(ctx, tfexec.Reattach(attached), tfexec.JSONNumber(true))
		return err
	})
	return state, err
}

// destroy destroys what the state has. Without a refresh, it needs no provider for which nothing is left.
func (w *workspace) destroy(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(w.dir, "terraform.tfstate")); err != nil {
		return // nothing was applied
	}
	err := w.command(t.Context(), func(attached tfexec.ReattachInfo) error {
		return w.terraform.Destroy(t.Context(), tfexec.Refresh(false), tfexec.Reattach(attached))
	})
	if err != nil {
		t.Errorf("terraform destroy: %v", err)
	}
}

// command runs a command of Terraform with a provider that ends with it.
func (w *workspace) command(ctx context.Context, run func(tfexec.ReattachInfo) error) error {
	liqo := provider.New("test")
	defer liqo.Close()
	ctx, end := context.WithCancel(ctx)
	started, ended := make(chan *plugin.ReattachConfig, 1), make(chan struct{})
	var served error
	go func() {
		served = tf6server.Serve("liqo", func() tfprotov6.ProviderServer {
			return w.wrap(providerserver.NewProtocol6(liqo)())
		}, tf6server.WithDebug(ctx, started, ended), tf6server.WithLoggingSink(w.t), tf6server.WithoutLogStderrOverride(),
			tf6server.WithGoPluginLogger(hclog.NewNullLogger()))
	}()
	defer func() {
		end()
		<-ended
	}()
	at := <-started
	if at == nil {
		return errors.Join(errors.New("the provider does not start"), served)
	}
	attached := tfexec.ReattachInfo{}
	for _, registry := range Registries() {
		for _, namespace := range []string{"leafmesh", "hashicorp"} { // the latter for a block without source
			attached[registry+"/"+namespace+"/liqo"] = tfexec.ReattachConfig{
				Protocol: string(at.Protocol), ProtocolVersion: at.ProtocolVersion, Pid: at.Pid, Test: at.Test,
				Addr: tfexec.ReattachConfigAddr{Network: at.Addr.Network(), String: at.Addr.String()},
			}
		}
	}
	return run(attached)
}
