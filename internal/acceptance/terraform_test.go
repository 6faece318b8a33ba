package acceptance

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/leafmesh/terraform-provider-liqo/internal/provider"
)

// apply runs the steps with the provider of this process, and destroys what they created.
func apply(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	applyThrough(t, func(server tfprotov6.ProviderServer) tfprotov6.ProviderServer { return server }, steps...)
}

// applyThrough is like apply, with a wrapper between Terraform and the provider.
func applyThrough(
	t *testing.T, wrap func(tfprotov6.ProviderServer) tfprotov6.ProviderServer, steps ...resource.TestStep,
) {
	t.Helper()
	var liqo *provider.Provider
	end := func() {
		if liqo != nil {
			liqo.Close()
		}
	}
	t.Cleanup(end)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (
			tfprotov6.ProviderServer, error,
		){"liqo": func() (tfprotov6.ProviderServer, error) {
			end() // each Terraform command has its own provider, which ends with it
			liqo = provider.New("test")
			return wrap(providerserver.NewProtocol6(liqo)()), nil
		}},
		Steps: steps,
	})
}

// contexts returns a provider block with the lab's merged kubeconfig, followed by more configuration.
func (l *Lab) contexts(more string) string {
	return required + fmt.Sprintf(`
		provider "liqo" {
		  config_path = %q
		}
		%s`, l.Kubeconfig, more)
}
