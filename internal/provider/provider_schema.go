package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Schema implements [provider.Provider].
func (p *Provider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	attributes := kubeconfigAttributes()
	attributes["liqo_namespace"] = schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "Namespace of Liqo, on every cluster without its own `liqo_namespace`. Default: `liqo`.",
		Validators:          []validator.String{notEmpty()},
	}
	attributes["record_author"] = schema.BoolAttribute{
		Optional: true,
		MarkdownDescription: "Whether objects on a leaf record the user, host, directory and workspace that made them, " +
			"so that others find the Terraform state. With `false`, they have only a digest of it. Default: `true`.",
	}
	attributes["clusters"] = schema.MapNestedAttribute{
		Optional: true,
		MarkdownDescription: "How to reach each cluster, by the name that resources use. A name that is not listed is a " +
			"context of the provider's kubeconfig. An entry with neither a kubeconfig nor a `host` uses that kubeconfig, " +
			"too.",
		NestedObject: schema.NestedAttributeObject{Attributes: clusterAttributes()},
		Validators:   []validator.Map{mapvalidator.KeysAre(namedKey("cluster")), mapvalidator.NoNullValues()},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages leaf-to-leaf shortcuts between Kubernetes clusters that [Liqo](https://liqo.io) " +
			"connects.",
		Attributes: attributes,
	}
}

// kubeconfigAttributes returns the attributes of a kubeconfig, for the provider or for one cluster.
func kubeconfigAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"config_path": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Path of a kubeconfig file. Conflicts with `config_paths` and `config_content`.",
			Validators: []validator.String{notEmpty(), stringvalidator.ConflictsWith(
				path.MatchRelative().AtParent().AtName("config_paths"), path.MatchRelative().AtParent().AtName("config_content"))},
		},
		"config_paths": schema.ListAttribute{
			Optional:            true,
			ElementType:         types.StringType,
			MarkdownDescription: "Paths of kubeconfig files to merge. The first one that sets a value wins.",
			Validators: []validator.List{
				listvalidator.SizeAtLeast(1), listvalidator.NoNullValues(), listvalidator.ValueStringsAre(notEmpty()),
			},
		},
		"config_content": schema.StringAttribute{
			Optional:            true,
			Sensitive:           true,
			MarkdownDescription: "Content of a kubeconfig.",
			Validators: []validator.String{notEmpty(), kubeconfigText(), stringvalidator.ConflictsWith(
				path.MatchRelative().AtParent().AtName("config_paths"))},
		},
	}
}

// clusterAttributes returns the attributes of an entry of `clusters`. They have the same names as in the kubernetes and
// helm providers, so that users know them already.
func clusterAttributes() map[string]schema.Attribute {
	attributes := kubeconfigAttributes()
	for name, description := range map[string]string{
		"config_context": "Context of the kubeconfig. Default: in the entry's own kubeconfig, the current one; in the " +
			"provider's, the one with the entry's name.",
		"config_context_auth_info": "User of the kubeconfig. Default: the context's user.",
		"config_context_cluster":   "Cluster of the kubeconfig. Default: the context's cluster.",
		"host":                     "Address of the API server, as a URL or as host and port.",
		"username":                 "User name for HTTP basic authentication.",
		"tls_server_name":          "Server name to verify in the API server's certificate. Default: the host name.",
		"liqo_namespace":           "Namespace of Liqo on this cluster. Default: the provider's `liqo_namespace`.",
	} {
		attributes[name] = schema.StringAttribute{
			Optional: true, MarkdownDescription: description, Validators: []validator.String{notEmpty()},
		}
	}
	for name, description := range map[string]string{
		"password":  "Password for HTTP basic authentication.",
		"proxy_url": "URL of the proxy for this cluster: `http`, `https` or `socks5`.",
	} {
		attributes[name] = schema.StringAttribute{
			Optional: true, Sensitive: true, MarkdownDescription: description, Validators: []validator.String{notEmpty()},
		}
	}
	for name, one := range map[string]struct {
		description string
		secret      bool
		valid       validator.String
	}{
		"client_certificate":     {"Client certificate, PEM.", false, certificate()},
		"cluster_ca_certificate": {"CA certificates of the API server, PEM.", false, certificate()},
		"client_key":             {"Key of the client certificate, PEM.", true, privateKey()},
		"token": {
			"Bearer token, for instance of a service account.",
			true, bearerToken(),
		},
	} {
		attributes[name] = schema.StringAttribute{
			Optional: true, Sensitive: one.secret, MarkdownDescription: one.description,
			Validators: []validator.String{notEmpty(), one.valid},
		}
	}
	attributes["insecure"] = schema.BoolAttribute{
		Optional:            true,
		MarkdownDescription: "Whether to accept any certificate of the API server. Default: `false`.",
	}
	attributes["exec"] = execAttribute()
	attributes["credentials_from"] = credentialsFromAttribute()
	attributes["cluster_id"] = schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "Liqo's cluster ID of this cluster. Another cluster is refused. Default: with " +
			"`credentials_from`, the name of the entry; otherwise, any ID.",
		Validators: []validator.String{notEmpty(), clusterID()},
	}
	return attributes
}

func credentialsFromAttribute() schema.Attribute {
	var others []path.Expression
	for _, name := range []string{
		"config_path", "config_paths", "config_content", "config_context", "config_context_auth_info",
		"config_context_cluster", "username", "password", "token", "client_certificate", "client_key", "exec",
	} {
		others = append(others, path.MatchRelative().AtParent().AtName(name))
	}
	return schema.StringAttribute{
		Optional: true,
		MarkdownDescription: "Name of the cluster, usually the central cluster, in which Liqo keeps credentials for " +
			"this one. The provider takes an address, certificates, a token and a proxy from there, and nothing else. " +
			"`host`, `proxy_url` and the other settings of the connection override them.",
		Validators: []validator.String{notEmpty(), stringvalidator.ConflictsWith(others...)},
	}
}

func execAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "Program that prints credentials, such as `aws eks get-token`.",
		Attributes: map[string]schema.Attribute{
			"api_version": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "API version of its output, such as `client.authentication.k8s.io/v1`.",
				Validators:          []validator.String{notEmpty()},
			},
			"command": schema.StringAttribute{
				Required: true, MarkdownDescription: "Program to run.", Validators: []validator.String{notEmpty()},
			},
			"args": schema.ListAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Arguments.",
				Validators: []validator.List{listvalidator.NoNullValues()},
			},
			"env": schema.MapAttribute{
				Optional: true, Sensitive: true, ElementType: types.StringType,
				MarkdownDescription: "Additional environment variables.",
				Validators:          []validator.Map{mapvalidator.KeysAre(namedKey("variable")), mapvalidator.NoNullValues()},
			},
		},
	}
}
