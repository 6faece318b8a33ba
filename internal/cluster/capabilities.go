package cluster

import (
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/client-go/openapi3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// Capabilities are what Liqo on a leaf can do that older versions can't.
type Capabilities struct {
	// ManyPodCIDRs means that Liqo remaps each pod CIDR in a Configuration, and not only the first one.
	ManyPodCIDRs bool
	// FollowsConfigurations means that Liqo remaps again when the ranges in a Configuration change.
	FollowsConfigurations bool
	// KeepsConnections means that a gateway leaves the status of its Connection unchanged when its
	// PublicKey is written again.
	KeepsConnections bool
	// ServiceMetadata means that a GatewayServer has labels and annotations for its Service.
	ServiceMetadata bool
	// DirectConnections means that pods of two leaves behind one Service of their centre can meet over the network of
	// the leaves.
	DirectConnections bool
}

// Capabilities reads from the schemas that the API server serves what Liqo on this leaf can do. So the
// answer is also right for a custom build, whose version says nothing. The schemas are large. Ask only where
// the answer matters. Capabilities asks the API server once.
func (l *Leaf) Capabilities() (Capabilities, error) {
	return l.capabilities.get(func() (Capabilities, error) {
		document, err := openapi3.NewRoot(l.Discovery.OpenAPIV3()).GVSpec(networkingv1beta1.GroupVersion)
		if err != nil {
			return Capabilities{}, l.Explain(err)
		}
		has := func(kind string, fields ...string) bool {
			return hasField(document.Components.Schemas[schemaPrefix+kind], fields...)
		}
		// The Configuration's conditions came with Liqo 1.2, like everything that they stand for here.
		conditions := has(networkingv1beta1.ConfigurationKind, "status", "conditions")
		return Capabilities{
			ManyPodCIDRs: conditions, FollowsConfigurations: conditions, KeepsConnections: conditions,
			ServiceMetadata:   has(networkingv1beta1.GatewayServerKind, "spec", "serviceAnnotations"),
			DirectConnections: conditions,
		}, nil
	})
}

// schemaPrefix begins the names of the schemas of Liqo's networking kinds: an API server reverses the group.
const schemaPrefix = "io.liqo.networking.v1beta1."

// hasField reports whether a schema has a field, which is nested in all the others before it.
func hasField(in *spec.Schema, fields ...string) bool {
	for _, field := range fields {
		if in == nil {
			return false
		}
		inner, ok := in.Properties[field]
		if !ok {
			return false
		}
		in = &inner
	}
	return in != nil
}
