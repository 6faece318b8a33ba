package end

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// CheckTunnels fails if Liqo on this leaf can't have as many tunnels.
func (e *End) CheckTunnels(ctx context.Context, tunnels int) error {
	if tunnels <= 1 {
		return nil
	}
	able, err := liqo.CapabilitiesOf(ctx, e.Leaf)
	if err != nil || able.SeveralTunnels {
		return err
	}
	remedy := "Remove `tunnels`"
	if e.Owner.Resource == owner.GatewayClientResource {
		remedy = "Remove `ports` from `server_endpoint`"
	}
	return &trouble.Problem{
		ID: "several-tunnels-unsupported", Leaf: e.Leaf.Name, Refused: true,
		Summary: fmt.Sprintf("%s can't have several tunnels", liqo.Name(ctx, e.Leaf)),
		Advice: fmt.Sprintf("Its gateways have one port, and %d tunnels need a list of ports, which came after Liqo 1.2. "+
			"Both ends need it. %s, or update Liqo on %q, with its custom resource definitions. Nothing was changed.",
			tunnels, remedy, e.Leaf.Name),
	}
}

// wholeGateway is a gateway as it is or as it shall be, with the lists of ports that its type does not have.
type wholeGateway struct {
	client.Object

	ports   liqo.Ports
	derived *unstructured.Unstructured // its derived template as it shall be; nil if it takes a template as it is
}

// differs reports whether the spec of the gateway is not that of another one, or whether its template was derived for
// other settings.
func (g wholeGateway) differs(other wholeGateway) bool {
	return !equality.Semantic.DeepEqual(fieldsOfGateway(g.Object).spec, fieldsOfGateway(other.Object).spec) ||
		!equality.Semantic.DeepEqual(g.ports, other.ports) ||
		g.GetAnnotations()[liqo.DerivationAnnotation] != other.GetAnnotations()[liqo.DerivationAnnotation]
}

// sameTunnel reports whether the gateway differs from another one in nothing but its template, so that the gateway at
// the other end fits both.
func (g wholeGateway) sameTunnel(other wholeGateway) bool {
	specs := make([]map[string]any, 2)
	for i, one := range []wholeGateway{g, other} {
		spec, err := one.spec()
		if err != nil {
			return false
		}
		delete(spec, "serverTemplateRef")
		delete(spec, "clientTemplateRef")
		specs[i] = spec
	}
	return equality.Semantic.DeepEqual(specs[0], specs[1])
}

// spec returns the spec of the gateway as data.
func (g wholeGateway) spec() (map[string]any, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(g.Object)
	if err != nil {
		return nil, err
	}
	g.ports.AddTo(content)
	return fieldsOf(content["spec"]), nil
}

// switchPorts changes the lists of ports of an existing gateway, or replaces them by the single port or that by them.
// An apply can't: somebody else may have set what the new value excludes.
func (e *End) switchPorts(ctx context.Context, desired wholeGateway) error {
	spec, err := desired.spec()
	if err != nil {
		return err
	}
	endpoint := map[string]any{}
	for _, field := range []string{"port", "nodePort", "ports", "nodePorts"} {
		endpoint[field] = fieldsOf(spec["endpoint"])[field] // nil removes it
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"endpoint": endpoint}})
	if err != nil {
		return err
	}
	patched := desired.DeepCopyObject().(client.Object) //nolint:errcheck,forcetypeassert // a copy has its type
	return e.Leaf.Persist(ctx, func() error {
		return e.Leaf.Live.Patch(ctx, patched, client.RawPatch(types.MergePatchType, patch),
			client.FieldOwner(cluster.FieldManager))
	})
}
