package liqo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Schemas are those of Liqo's networking kinds whose fields differ between versions of Liqo.
type Schemas struct{ Configuration, GatewayServer, GatewayClient, FirewallConfiguration Schema }

// CommonSchemas returns the schemas of the specs of gateways, with the fields that every version of Liqo has from 1.0
// on. There is none of the Configuration.
var CommonSchemas = sync.OnceValue(func() Schemas {
	server := schemaOf(reflect.TypeFor[networkingv1beta1.GatewayServerSpec]())
	for _, since12 := range []string{"serviceAnnotations", "serviceLabels"} {
		delete(server.Properties, since12)
	}
	gateway := func(spec Schema) Schema { return Schema{Type: "object", Properties: map[string]Schema{"spec": spec}} }
	return Schemas{
		GatewayServer: gateway(server),
		GatewayClient: gateway(schemaOf(reflect.TypeFor[networkingv1beta1.GatewayClientSpec]())),
	}
})

// SchemasOf reads the schemas that the API server of a leaf serves. It asks the API server once. The answer has more
// than a megabyte, which takes many round trips from a distant leaf. So ask only where [CommonSchemas] do not answer.
func SchemasOf(ctx context.Context, leaf *cluster.Leaf) (Schemas, error) {
	return cluster.Once(ctx, leaf, func() (Schemas, error) {
		schemas, err := readSchemas(ctx, leaf)
		return schemas, leaf.Explain(err)
	})
}

func readSchemas(ctx context.Context, leaf *cluster.Leaf) (schemas Schemas, err error) {
	document, err := networkingDocument(ctx, leaf)
	if err != nil {
		return schemas, err
	}
	for _, each := range []struct {
		kind   string
		schema *Schema
	}{
		{networkingv1beta1.ConfigurationKind, &schemas.Configuration},
		{networkingv1beta1.GatewayServerKind, &schemas.GatewayServer},
		{networkingv1beta1.GatewayClientKind, &schemas.GatewayClient},
		{cluster.FirewallConfigurationKind, &schemas.FirewallConfiguration},
	} {
		if *each.schema, err = document.schema(each.kind); err != nil {
			return schemas, err
		}
	}
	return schemas, nil
}

// document is the OpenAPI document of Liqo's networking kinds, in JSON.
type document []byte

// documentPath is where an API server has the document. A REST client puts the path of the server's address before it,
// for instance that of a proxy.
var documentPath = "/openapi/v3/apis/" + networkingv1beta1.GroupVersion.String()

// networkingDocument downloads the document. Client-go's client of OpenAPI would first ask for the list of all
// documents, which has a hash of each for caches. That costs a round trip, and there is no cache here.
func networkingDocument(ctx context.Context, leaf *cluster.Leaf) (document, error) {
	served, err := leaf.Discovery(ctx)
	if err != nil {
		return nil, err
	}
	answer := served.RESTClient().Get().AbsPath(documentPath).SetHeader("Accept", runtime.ContentTypeJSON).Do(ctx)
	if err := answer.Error(); apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("the API server has no schemas of %s: %w", networkingv1beta1.GroupVersion, err)
	} else if err != nil {
		return nil, err // Raw's error would be without the API server's words
	}
	return answer.Raw()
}

// schemaPrefix begins the names of the schemas of Liqo's networking kinds: an API server reverses the group.
const schemaPrefix = "io.liqo.networking.v1beta1."

// schema returns the schema of a kind, and decodes only this one. The document has more than a megabyte, mostly on
// requests, and to decode it all takes thirty times as long.
func (d document) schema(kind string) (Schema, error) {
	name := `"` + schemaPrefix + kind + `"` // a reference to the schema has a path before the name
	_, rest, _ := bytes.Cut(d, []byte(name))
	value, ok := bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(":"))
	if !ok {
		return Schema{}, fmt.Errorf("the API server has no schema of the kind %s", kind)
	}
	var schema Schema
	if err := json.NewDecoder(bytes.NewReader(value)).Decode(&schema); err != nil {
		return Schema{}, fmt.Errorf("the schema of the kind %s: %w", kind, err)
	}
	return schema, nil
}
