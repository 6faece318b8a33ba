package end

import (
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// FuzzTemplates refers to any template, and reads any reference back. An error names the resource.
func FuzzTemplates(f *testing.F) {
	for _, resource := range []string{
		"networking.liqo.io/v1beta1/wggatewayservertemplates", "", "/", "//", "///", "a/b/c/d", "v1/pods", "/v1/secrets",
		"é/\x00/\xff",
	} {
		f.Add(resource, "name", "namespace")
	}
	leaf := clustertest.Leaf(f, "milan")
	f.Fuzz(func(t *testing.T, resource, name, namespace string) {
		e := New(leaf, Remote{Name: "rome", ID: "rome"})
		reference, err := e.refer(liqo.Template{Resource: resource, Name: name, Namespace: namespace})
		if err != nil && !strings.Contains(err.Error(), resource) {
			t.Errorf("%q is not named: %v", resource, err)
		}
		if err == nil && (reference.Name != name || reference.Namespace != namespace) {
			t.Errorf("%q: %v", resource, reference)
		}
		client := &networkingv1beta1.GatewayClient{}
		client.Spec.ClientTemplateRef = corev1.ObjectReference{Kind: name, APIVersion: resource}
		(liqo.Objects{Gateway: liqo.GatewayOf(client)}).ObservedGateway(liqo.ClientRole)
	})
}
