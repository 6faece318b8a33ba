package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// whyDown warns of a tunnel that is down though everything is in place, with what the leaves show of the reason. One that comes up while nobody waits for it is no reason
// to worry.
func (m *shortcutModel) whyDown(ctx context.Context, joined *shortcut.Shortcut, observed shortcut.State) diag.Diagnostics {
	awaited := m.WaitForConnection.ValueBool() && !m.keysByOthers()
	if !observed.Exists || (observed.Status != shortcut.Error && (observed.Status != shortcut.Connecting || !awaited)) {
		return nil
	}
	down := joined.WhyDown(ctx)
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("status"), capital(down.Summary), down.Detail)}
}
