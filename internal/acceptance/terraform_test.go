//go:build acceptance

package acceptance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/leafmesh/terraform-provider-liqo/internal/provider"
)

// apply runs the steps with the provider of this process, and fails the test if anything is on any cluster afterwards that was not there before.
func apply(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	lab.apply(t, steps...)
}

// apply does the same on the clusters of any lab.
func (l *Lab) apply(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	before, err := l.inventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	terraformOn(t, steps...)
	if err := l.sameInventory(t.Context(), before); err != nil {
		t.Error(err)
	}
}

// terraformOn runs the steps with the provider of this process, and destroys what they made.
func terraformOn(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	terraformThrough(t, func(server tfprotov6.ProviderServer) tfprotov6.ProviderServer { return server }, steps...)
}

// terraformThrough does the same with something between Terraform and the provider.
func terraformThrough(t *testing.T, wrap func(tfprotov6.ProviderServer) tfprotov6.ProviderServer, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){"liqo": func() (tfprotov6.ProviderServer, error) {
			liqo := provider.New("test")
			t.Cleanup(liqo.Close)
			return wrap(providerserver.NewProtocol6(liqo)()), nil
		}},
		Steps: steps,
	})
}

// sameInventory compares what is on the clusters now with what was there before.
func (l *Lab) sameInventory(ctx context.Context, before []string) error {
	after, err := l.inventory(ctx)
	if err != nil {
		return err
	}
	var differences []string
	for _, line := range after {
		if !slices.Contains(before, line) {
			differences = append(differences, "+ "+line)
		}
	}
	for _, line := range before {
		if !slices.Contains(after, line) {
			differences = append(differences, "- "+line)
		}
	}
	if len(differences) > 0 {
		return fmt.Errorf("the clusters are not as they were before:\n%s", strings.Join(differences, "\n"))
	}
	return nil
}

// contexts is a provider block with the lab's merged kubeconfig, followed by more configuration.
func contexts(more string) string { return lab.contexts(more) }

// contexts is the same for any lab.
func (l *Lab) contexts(more string) string {
	return fmt.Sprintf(`
		terraform {
		  required_providers {
		    liqo = { source = "leafmesh/liqo" }
		  }
		}
		provider "liqo" {
		  config_path = %q
		}
		%s`, l.Kubeconfig, more)
}
