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
		MarkdownDescription: "Namespace in which Liqo runs on every cluster that does not say otherwise. Default: `liqo`.",
		Validators:          []validator.String{notEmpty{}},
	}
	attributes["clusters"] = schema.MapNestedAttribute{
		Optional: true,
		MarkdownDescription: "How to reach each cluster, by the name that resources use for it. A name that is not listed here is taken as a " +
			"context of the kubeconfig. An entry with neither a kubeconfig nor a `host` of its own stands on the provider's kubeconfig: on the context or the " +
			"cluster that it names there or, where it names none, on the context of its own name.",
		NestedObject: schema.NestedAttributeObject{Attributes: clusterAttributes()},
		Validators:   []validator.Map{mapvalidator.KeysAre(notEmpty{}), mapvalidator.NoNullValues()},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Makes leaf-to-leaf shortcuts between Kubernetes clusters that are joined by [Liqo](https://liqo.io) ordinary Terraform " +
			"resources. Credentials are given here and nowhere else, so they never reach the state.",
		Attributes: attributes,
	}
}

// kubeconfigAttributes say where a kubeconfig is, for the provider as a whole or for one cluster.
func kubeconfigAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"config_path": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Path of a kubeconfig file. A leading `~` is the home directory.",
			Validators: []validator.String{notEmpty{}, stringvalidator.ConflictsWith(
				path.MatchRelative().AtParent().AtName("config_paths"), path.MatchRelative().AtParent().AtName("config_content"))},
		},
		"config_paths": schema.ListAttribute{
			Optional:            true,
			ElementType:         types.StringType,
			MarkdownDescription: "Paths of kubeconfig files that are merged; the first that says a thing wins.",
			Validators: []validator.List{
				listvalidator.SizeAtLeast(1), listvalidator.NoNullValues(), listvalidator.ValueStringsAre(notEmpty{}),
			},
		},
		"config_content": schema.StringAttribute{
			Optional:            true,
			Sensitive:           true,
			MarkdownDescription: "A whole kubeconfig as text, for instance from another resource.",
			Validators: []validator.String{notEmpty{}, stringvalidator.ConflictsWith(
				path.MatchRelative().AtParent().AtName("config_paths"))},
		},
	}
}

// clusterAttributes are those of the kubernetes and helm providers, so that nobody has to learn them.
func clusterAttributes() map[string]schema.Attribute {
	attributes := kubeconfigAttributes()
	for name, description := range map[string]string{
		"config_context":           "Context of the kubeconfig. Default: the current context of the cluster's own kubeconfig; of the provider's, the one of the cluster's name.",
		"config_context_auth_info": "User of the kubeconfig, instead of the context's.",
		"config_context_cluster":   "Cluster of the kubeconfig, instead of the context's.",
		"host":                     "Address of the API server, as a URL or as host and port.",
		"username":                 "User name for HTTP basic authentication.",
		"tls_server_name":          "Name to look for in the API server's certificate, instead of the host's.",
		"client_certificate":       "Client certificate for TLS authentication, PEM.",
		"cluster_ca_certificate":   "Certificates of the authorities that may have signed the API server's certificate, PEM.",
		"proxy_url":                "URL of the proxy for all requests to this cluster.",
		"liqo_namespace":           "Namespace in which Liqo runs on this cluster. Default: the provider's `liqo_namespace`.",
	} {
		attributes[name] = schema.StringAttribute{
			Optional: true, MarkdownDescription: description, Validators: []validator.String{notEmpty{}},
		}
	}
	for name, description := range map[string]string{
		"password":   "Password for HTTP basic authentication.",
		"token":      "Bearer token, for instance of a service account.",
		"client_key": "Key of the client certificate, PEM.",
	} {
		attributes[name] = schema.StringAttribute{
			Optional: true, Sensitive: true, MarkdownDescription: description, Validators: []validator.String{notEmpty{}},
		}
	}
	attributes["insecure"] = schema.BoolAttribute{
		Optional:            true,
		MarkdownDescription: "Accept any certificate of the API server. Default: `false`.",
	}
	attributes["exec"] = execAttribute()
	return attributes
}

func execAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "Program that prints credentials, such as `aws eks get-token`.",
		Attributes: map[string]schema.Attribute{
			"api_version": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Version of the answer's format, such as `client.authentication.k8s.io/v1`.",
				Validators:          []validator.String{notEmpty{}},
			},
			"command": schema.StringAttribute{
				Required: true, MarkdownDescription: "Program to run.", Validators: []validator.String{notEmpty{}},
			},
			"args": schema.ListAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Its arguments.",
				Validators: []validator.List{listvalidator.NoNullValues()},
			},
			"env": schema.MapAttribute{
				Optional: true, Sensitive: true, ElementType: types.StringType,
				MarkdownDescription: "Environment variables to add for it, by name.",
				Validators:          []validator.Map{mapvalidator.KeysAre(notEmpty{}), mapvalidator.NoNullValues()},
			},
		},
	}
}
