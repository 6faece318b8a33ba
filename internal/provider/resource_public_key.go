package provider

import (
	"context"
	"encoding/base64"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// newPublicKeyResource returns the resource liqo_public_key: the key of the other cluster's gateway.
func newPublicKeyResource() resource.Resource {
	return newEndResource[publicKeyModel](owner.PublicKeyResource, publicKeySchema)
}

func publicKeySchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Gives this cluster's gateway the public key of the remote gateway. Without it, the tunnel " +
			"does not come up. After a destroy, a tunnel that is up stays up until a gateway restarts." + oneEndInGuide,
		Attributes: endAttributes(ctx, map[string]schema.Attribute{
			"public_key": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Public key of the remote gateway, in base64: `public_key` of its " +
					"`liqo_gateway_server` or `liqo_gateway_client`. A change interrupts the tunnel until both ends have each " +
					"other's key.",
				Validators: []validator.String{publicKey()},
			},
		}),
	}
}

type publicKeyModel struct {
	endCommonModel

	PublicKey types.String `tfsdk:"public_key"`
}

func (m *publicKeyModel) planComputed(context.Context, *publicKeyModel) {}

func (m *publicKeyModel) keepPlanned(*publicKeyModel) {}

func (m *publicKeyModel) ensure(ctx context.Context, object shortcut.EndObject, namespace string) error {
	key, err := base64.StdEncoding.DecodeString(m.PublicKey.ValueString())
	if err != nil {
		return err
	}
	return object.EnsurePublicKey(ctx, namespace, key)
}

func (m *publicKeyModel) observed(
	_ context.Context, observed shortcut.EndObjectState,
) diag.Diagnostics { //nolint:unparam // as that of any other model
	m.PublicKey = keyOrNull(observed.Key)
	return nil
}

// keyOrNull returns a public key in base64, or null if there is none.
func keyOrNull(key []byte) types.String { return stringOrNull(base64.StdEncoding.EncodeToString(key)) }
