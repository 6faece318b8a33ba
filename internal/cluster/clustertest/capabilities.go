package clustertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// OlderLiqo makes Liqo on the leaf one from before version 1.2, with what `liqo.Capabilities` says about it.
func OlderLiqo(leaf *cluster.Leaf) *cluster.Leaf {
	return WithSchemas(leaf, networkingSchemas(properties{}, properties{}, properties{}, properties{}))
}

// OldestLiqo makes Liqo on the leaf version 1.0, whose gateways can't drop packets.
func OldestLiqo(leaf *cluster.Leaf) *cluster.Leaf {
	older := networkingSchemas(properties{}, properties{}, properties{}, properties{})
	return WithSchemas(leaf, strings.Replace(older, `,"accept","drop"`, "", 1))
}

// NextLiqo makes Liqo on the leaf the version after 1.2, whose gateways may have lists of ports.
func NextLiqo(leaf *cluster.Leaf) *cluster.Leaf {
	endpoint := maps.Clone(severalPorts)
	endpoint["nodePorts"] = severalPorts["ports"]
	return WithSchemas(leaf, networkingSchemas(since12, serviceMetadata, endpoint, severalPorts))
}

// properties are schemas of the fields of an object, by name.
type properties map[string]any

func object(of ...properties) properties {
	all := properties{}
	for _, each := range of {
		maps.Copy(all, each)
	}
	return properties{"type": "object", "properties": all}
}

func list(of properties) properties { return properties{"type": "array", "items": object(of)} }

var (
	filterAction = properties{"type": "string", "enum": []string{"ctmark", "accept", "drop"}}

	text, integer = properties{"type": "string"}, properties{"type": "integer"}

	since12         = properties{"conditions": properties{}}
	serviceMetadata = properties{
		"serviceAnnotations": properties{"type": "object"}, "serviceLabels": properties{"type": "object"},
	}
	severalPorts = properties{"ports": properties{"type": "array", "items": integer}}
)

// networkingSchemas returns the schemas of Liqo's networking kinds, as the OpenAPI document of an API server: the
// fields of gateways, and of Configurations those that versions of Liqo differ in. It takes the fields that only some
// versions have: of the status of a Configuration, of a GatewayServer, of its endpoint, and of that of a GatewayClient.
func networkingSchemas(configuration, server, exposed, dialled properties) string {
	reference := object(properties{"name": text, "namespace": text, "kind": text, "apiVersion": text})
	gateway := properties{"mtu": integer, "secretRef": object(properties{"name": text})}
	document, err := json.Marshal(properties{"components": properties{"schemas": properties{
		"io.liqo.networking.v1beta1.Configuration": object(properties{
			"status": object(properties{"remote": properties{}}, configuration),
		}),
		"io.liqo.networking.v1beta1.GatewayServer": object(properties{"spec": object(gateway, server, properties{
			"serverTemplateRef": reference,
			"endpoint": object(properties{
				"port": integer, "serviceType": text, "nodePort": integer, "loadBalancerIP": text,
			}, exposed),
		})}),
		"io.liqo.networking.v1beta1.GatewayClient": object(properties{"spec": object(gateway, properties{
			"clientTemplateRef": reference,
			"endpoint": object(properties{
				"addresses": properties{"type": "array", "items": text}, "port": integer, "protocol": text,
			}, dialled),
		})}),
		"io.liqo.networking.v1beta1.FirewallConfiguration": object(properties{"spec": object(properties{
			"table": object(properties{"chains": list(properties{"rules": object(properties{
				"filterRules": list(properties{"action": filterAction}),
			})})}),
		})}),
	}}})
	if err != nil {
		panic(err) // maps of strings and maps can be written
	}
	return string(document)
}

// WithSchemas makes the leaf serve this OpenAPI document of Liqo's networking kinds.
func WithSchemas(leaf *cluster.Leaf, document string) *cluster.Leaf {
	leaf.Clients().Documents = serving(document)
	return leaf
}

// serving returns a client that reads the documents of a leaf, and finds nothing else.
func serving(schemas string) rest.Interface {
	group := networkingv1beta1.GroupVersion.String()
	documents := map[string]string{
		"/openapi/v3/apis/" + group: schemas,
		"/version":                  `{"gitVersion": "v1.35.4"}`,
		"/apis/" + group: fmt.Sprintf(`{"resources": [{"name": %q, "kind": %q}, {"name": %q, "kind": %q}]}`,
			networkingv1beta1.WgGatewayServerTemplateResource, networkingv1beta1.WgGatewayServerTemplateKind,
			networkingv1beta1.WgGatewayClientTemplateResource, networkingv1beta1.WgGatewayClientTemplateKind),
	}
	return AnsweredBy(func(request *http.Request) (*http.Response, error) {
		answer := httptest.NewRecorder()
		if document, ok := documents[request.URL.Path]; ok {
			answer.Header().Set("Content-Type", "application/json")
			_, _ = answer.WriteString(document) // into memory
		} else {
			answer.WriteHeader(http.StatusNotFound)
		}
		return answer.Result(), nil
	})
}

// AnsweredBy returns a client whose requests are answered by a function.
func AnsweredBy(answer func(*http.Request) (*http.Response, error)) rest.Interface {
	config := &rest.Config{Host: "https://leaf.example", QPS: -1}
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.UnversionedRESTClientForConfigAndClient(config,
		&http.Client{Transport: access.RoundTrip(answer)})
	if err != nil {
		panic(err) // of a constant configuration
	}
	return client
}
