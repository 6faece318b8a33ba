package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// DefaultLiqoNamespace is the namespace that Liqo's installer uses by default.
const DefaultLiqoNamespace = "liqo"

// providerModel is the provider block.
type providerModel struct {
	ConfigPath    types.String `tfsdk:"config_path"`
	ConfigPaths   types.List   `tfsdk:"config_paths"`
	ConfigContent types.String `tfsdk:"config_content"`
	LiqoNamespace types.String `tfsdk:"liqo_namespace"`
	RecordAuthor  types.Bool   `tfsdk:"record_author"`
	Clusters      types.Map    `tfsdk:"clusters"`
}

// clusterModel is an entry of `clusters`.
type clusterModel struct {
	ConfigPath            types.String `tfsdk:"config_path"`
	ConfigPaths           types.List   `tfsdk:"config_paths"`
	ConfigContent         types.String `tfsdk:"config_content"`
	ConfigContext         types.String `tfsdk:"config_context"`
	ConfigContextAuthInfo types.String `tfsdk:"config_context_auth_info"`
	ConfigContextCluster  types.String `tfsdk:"config_context_cluster"`
	Host                  types.String `tfsdk:"host"`
	Username              types.String `tfsdk:"username"`
	Password              types.String `tfsdk:"password"`
	Insecure              types.Bool   `tfsdk:"insecure"`
	TLSServerName         types.String `tfsdk:"tls_server_name"`
	ClientCertificate     types.String `tfsdk:"client_certificate"`
	ClientKey             types.String `tfsdk:"client_key"`
	ClusterCACertificate  types.String `tfsdk:"cluster_ca_certificate"`
	Token                 types.String `tfsdk:"token"`
	ProxyURL              types.String `tfsdk:"proxy_url"`
	Exec                  *execModel   `tfsdk:"exec"`
	CredentialsFrom       types.String `tfsdk:"credentials_from"`
	ClusterID             types.String `tfsdk:"cluster_id"`
	LiqoNamespace         types.String `tfsdk:"liqo_namespace"`
}

// execModel is the `exec` of an entry.
type execModel struct {
	APIVersion types.String `tfsdk:"api_version"`
	Command    types.String `tfsdk:"command"`
	Args       []string     `tfsdk:"args"`
	Env        types.Map    `tfsdk:"env"`
}

// unknownNames says which leaves cannot be connected to yet, because their credentials are known only after an apply.
type unknownNames struct {
	all   bool            // nothing is known
	names map[string]bool // entries of `clusters` with an unknown value
	rest  bool            // names that `clusters` does not list, because the common kubeconfig is unknown
	known map[string]bool // entries of `clusters` without an unknown value
}

func (u unknownNames) has(name string) bool {
	return u.all || u.names[name] || (u.rest && !u.known[name])
}

// any reports whether the credentials of any leaf, or the names of the leaves, are unknown.
func (u unknownNames) any() bool { return u.all || u.rest || len(u.names) > 0 }

// config translates the block. A value of the block overrides the environment, which getenv reads.
func (m providerModel) config(
	ctx context.Context, getenv func(string) string,
) (cluster.Config, unknownNames, diag.Diagnostics) {
	unknown := unknownNames{names: map[string]bool{}, known: map[string]bool{}}
	if m.Clusters.IsUnknown() || m.LiqoNamespace.IsUnknown() {
		unknown.all = true
		return cluster.Config{}, unknown, nil
	}
	var diags diag.Diagnostics
	config := cluster.Config{LiqoNamespace: DefaultLiqoNamespace, Clusters: map[string]access.Credentials{}}
	if namespace := m.LiqoNamespace.ValueString(); namespace != "" {
		config.LiqoNamespace = namespace
	}
	if fullyKnown(ctx, m.ConfigPath, m.ConfigPaths, m.ConfigContent) {
		kubeconfig, kubeconfigDiags := kubeconfigOf(ctx, m.ConfigPath, m.ConfigPaths, m.ConfigContent)
		diags.Append(kubeconfigDiags...)
		if kubeconfig.IsZero() {
			kubeconfig = access.KubeconfigFromEnvironment(getenv)
		}
		config.Kubeconfig = kubeconfig
	} else {
		unknown.rest = true
	}
	for name, element := range m.Clusters.Elements() {
		object, ok := element.(basetypes.ObjectValue)
		if !ok || !fullyKnown(ctx, object) {
			unknown.names[name] = true
			continue
		}
		var entry clusterModel
		diags.Append(object.As(ctx, &entry, basetypes.ObjectAsOptions{})...)
		credentials, entryDiags := entry.credentials(ctx)
		diags.Append(entryDiags...)
		config.Clusters[name] = credentials
		unknown.known[name] = !unknown.rest || !credentials.NeedKubeconfig()
	}
	for name, credentials := range config.Clusters {
		if credentials.From != "" && unknown.has(credentials.From) {
			unknown.names[name] = true
		}
	}
	return config, unknown, diags
}

func (m clusterModel) credentials(ctx context.Context) (access.Credentials, diag.Diagnostics) {
	kubeconfig, diags := kubeconfigOf(ctx, m.ConfigPath, m.ConfigPaths, m.ConfigContent)
	credentials := access.Credentials{
		Kubeconfig:           kubeconfig,
		Context:              m.ConfigContext.ValueString(),
		ContextAuthInfo:      m.ConfigContextAuthInfo.ValueString(),
		ContextCluster:       m.ConfigContextCluster.ValueString(),
		Host:                 m.Host.ValueString(),
		Username:             m.Username.ValueString(),
		Password:             m.Password.ValueString(),
		Token:                m.Token.ValueString(),
		Insecure:             m.Insecure.ValueBool(),
		TLSServerName:        m.TLSServerName.ValueString(),
		ClientCertificate:    m.ClientCertificate.ValueString(),
		ClientKey:            m.ClientKey.ValueString(),
		ClusterCACertificate: m.ClusterCACertificate.ValueString(),
		ProxyURL:             m.ProxyURL.ValueString(),
		From:                 m.CredentialsFrom.ValueString(),
		ClusterID:            m.ClusterID.ValueString(),
		LiqoNamespace:        m.LiqoNamespace.ValueString(),
	}
	if m.Exec != nil {
		credentials.Exec = &access.Exec{
			APIVersion: m.Exec.APIVersion.ValueString(), Command: m.Exec.Command.ValueString(), Args: m.Exec.Args,
		}
		diags.Append(m.Exec.Env.ElementsAs(ctx, &credentials.Exec.Env, false)...)
	}
	return credentials, diags
}

func kubeconfigOf(
	ctx context.Context, path types.String, paths types.List, content types.String,
) (access.Kubeconfig, diag.Diagnostics) {
	kubeconfig := access.Kubeconfig{Content: content.ValueString()}
	diags := paths.ElementsAs(ctx, &kubeconfig.Paths, false)
	if path.ValueString() != "" {
		kubeconfig.Paths = []string{path.ValueString()}
	}
	return kubeconfig, diags
}
