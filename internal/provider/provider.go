package provider

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// TypeName starts the name of every resource of this provider.
const TypeName = "liqo"

var (
	_ provider.ProviderWithActions       = (*Provider)(nil)
	_ provider.ProviderWithFunctions     = (*Provider)(nil)
	_ provider.ProviderWithListResources = (*Provider)(nil)
)

// Provider manages shortcuts between leaf clusters as Terraform resources.
type Provider struct {
	version  string
	registry *cluster.Registry // nil until the provider is configured
}

// New returns the provider. It reports the given version.
func New(version string) *Provider { return &Provider{version: version} }

// Close closes the connections to all leaves.
func (p *Provider) Close() {
	if p.registry != nil {
		p.registry.Close()
	}
}

// Metadata implements [provider.Provider].
func (p *Provider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = TypeName
	resp.Version = p.version
}

// Configure implements [provider.Provider]. It does not connect to a leaf yet.
func (p *Provider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var model providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	config, unknown, diags := model.config(ctx, os.Getenv)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	config.UserAgent = "terraform-provider-liqo/" + p.version
	config.Prefetch = func(ctx context.Context, leaf *cluster.Leaf) { _, _ = liqo.RangesOf(ctx, leaf) }
	p.Close()
	p.registry = cluster.NewRegistry(config)
	leaves := &leaves{registry: p.registry, unknown: unknown}
	leaves.hideAuthor = given(model.RecordAuthor) && !model.RecordAuthor.ValueBool()
	resp.ResourceData = leaves
	resp.DataSourceData = leaves
	resp.ListResourceData = leaves
	resp.ActionData = leaves
}

// Resources implements [provider.Provider].
func (p *Provider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		newShortcutResource, newDirectServiceResource,
		newConfigurationResource, newGatewayServerResource, newGatewayClientResource, newPublicKeyResource,
		newConnectivityResource,
	}
}

// Actions implements [provider.ProviderWithActions].
func (p *Provider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{newConnectivityAction}
}

// DataSources implements [provider.Provider].
func (p *Provider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		newClusterDataSource, newShortcutDataSource, newShortcutsDataSource, newTopologyDataSource,
	}
}

// ListResources implements [provider.ProviderWithListResources].
func (p *Provider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{newShortcutList}
}

// Functions implements [provider.ProviderWithFunctions].
func (p *Provider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{newMeshFunction, newRemapIPFunction, newCIDRsOverlapFunction}
}
