package liqo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
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

// CapabilitiesOf reads from the schemas that the API server serves what Liqo on this leaf can do. So the
// answer is also right for a custom build, whose version says nothing. The schemas are large. Ask only where
// the answer matters. Capabilities asks the API server once.
func CapabilitiesOf(ctx context.Context, leaf *cluster.Leaf) (Capabilities, error) {
	return cluster.Once(leaf, func() (Capabilities, error) {
		able, err := readCapabilities(ctx, leaf)
		return able, leaf.Explain(err)
	})
}

func readCapabilities(ctx context.Context, leaf *cluster.Leaf) (Capabilities, error) {
	schemas, err := networkingSchemas(ctx, leaf)
	if err != nil {
		return Capabilities{}, err
	}
	configuration, err := schemas.of(networkingv1beta1.ConfigurationKind)
	if err != nil {
		return Capabilities{}, err
	}
	server, err := schemas.of(networkingv1beta1.GatewayServerKind)
	if err != nil {
		return Capabilities{}, err
	}
	// The Configuration's conditions came with Liqo 1.2, like everything that they stand for here.
	conditions := configuration.has("status", "conditions")
	return Capabilities{
		ManyPodCIDRs: conditions, FollowsConfigurations: conditions, KeepsConnections: conditions,
		ServiceMetadata:   server.has("spec", "serviceAnnotations"),
		DirectConnections: conditions,
	}, nil
}

// schemas is the OpenAPI document of Liqo's networking kinds, in JSON.
type schemas []byte

// networkingSchemas downloads the schemas.
func networkingSchemas(ctx context.Context, leaf *cluster.Leaf) (schemas, error) {
	served, err := leaf.Discovery(ctx)
	if err != nil {
		return nil, err
	}
	paths, err := served.OpenAPIV3().Paths()
	if err != nil {
		return nil, err
	}
	group, ok := paths["apis/"+networkingv1beta1.GroupVersion.String()]
	if !ok {
		return nil, fmt.Errorf("the API server has no schemas of %s", networkingv1beta1.GroupVersion)
	}
	return group.Schema(runtime.ContentTypeJSON)
}

// schemaPrefix begins the names of the schemas of Liqo's networking kinds: an API server reverses the group.
const schemaPrefix = "io.liqo.networking.v1beta1."

// of returns the fields of a kind. It decodes only the schema of this kind. The document has more than a megabyte,
// mostly on requests, and to decode it all takes thirty times as long.
func (s schemas) of(kind string) (fields, error) {
	name := `"` + schemaPrefix + kind + `"` // a reference to the schema has a path before the name
	_, rest, _ := bytes.Cut(s, []byte(name))
	value, ok := bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(":"))
	if !ok {
		return fields{}, fmt.Errorf("the API server has no schema of the kind %s", kind)
	}
	var schema fields
	if err := json.NewDecoder(bytes.NewReader(value)).Decode(&schema); err != nil {
		return fields{}, fmt.Errorf("the schema of the kind %s: %w", kind, err)
	}
	return schema, nil
}

// fields is the part of a schema that names the fields of an object, each with its own fields.
type fields struct {
	Properties map[string]fields `json:"properties"`
}

// has reports whether there is a field, which is nested in all the others before it.
func (f fields) has(names ...string) bool {
	for _, name := range names {
		inner, ok := f.Properties[name]
		if !ok {
			return false
		}
		f = inner
	}
	return true
}
