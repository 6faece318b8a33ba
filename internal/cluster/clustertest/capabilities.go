package clustertest

import (
	"context"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/openapi/openapitest"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Schemas of Liqo's networking kinds, with the fields that versions of Liqo differ in, and without the others.
const (
	schemas = `{"components": {"schemas": {
		"io.liqo.networking.v1beta1.Configuration": {"properties": {"status": {"properties": {
			"remote": {}, "conditions": {}}}}},
		"io.liqo.networking.v1beta1.GatewayServer": {"properties": {"spec": {"properties": {
			"mtu": {}, "serviceAnnotations": {}, "serviceLabels": {}}}}}
	}}}`
	olderSchemas = `{"components": {"schemas": {
		"io.liqo.networking.v1beta1.Configuration": {"properties": {"status": {"properties": {"remote": {}}}}},
		"io.liqo.networking.v1beta1.GatewayServer": {"properties": {"spec": {"properties": {"mtu": {}}}}}
	}}}`
)

// OlderLiqo makes Liqo on the leaf one from before version 1.2, with what `liqo.Capabilities` says about it.
func OlderLiqo(leaf *cluster.Leaf) *cluster.Leaf {
	return WithSchemas(leaf, olderSchemas)
}

// WithSchemas makes the leaf serve this OpenAPI document of Liqo's networking kinds.
func WithSchemas(leaf *cluster.Leaf, document string) *cluster.Leaf {
	served := leaf.Discovery
	leaf.Discovery = func(ctx context.Context) (discovery.DiscoveryInterface, error) {
		without, err := served(ctx)
		return withSchemas{without, document}, err
	}
	return leaf
}

// withSchemas adds schemas to a fake discovery, which has none.
type withSchemas struct {
	discovery.DiscoveryInterface

	schemas string
}

// OpenAPIV3 implements [discovery.DiscoveryInterface].
func (s withSchemas) OpenAPIV3() openapi.Client {
	fake := openapitest.NewFakeClient()
	fake.PathsMap["apis/networking.liqo.io/v1beta1"] = openapitest.FakeGroupVersion{GVSpec: []byte(s.schemas)}
	return fake
}
