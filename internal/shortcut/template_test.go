package shortcut

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

func TestATemplateThatCannotBeUsedIsNamed(t *testing.T) {
	in := func(namespace, name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name}
	}
	s := New(
		clustertest.Leaf(t, "rome", &networkingv1beta1.WgGatewayClientTemplate{ObjectMeta: in("liqo", DefaultClientTemplateName)}),
		clustertest.Leaf(t, "milan", &networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: in("liqo", DefaultServerTemplateName)},
			&networkingv1beta1.WgGatewayServerTemplate{ObjectMeta: in("custom", "large")}))
	for name, test := range map[string]struct {
		template         Template
		ofServer         string // summary of the problem; empty for none
		ofClient, detail string
	}{
		"Liqo's own": {Template{}, "", "", ""},
		"another": {
			Template{Name: "large", Namespace: "custom", Resource: DefaultServerTemplateResource}, "", "the template does not exist",
			"There is no WgGatewayServerTemplate custom/large.",
		},
		"in another namespace": {
			Template{Name: "large", Resource: DefaultServerTemplateResource}, "the template does not exist", "the template does not exist",
			"There is no WgGatewayServerTemplate liqo/large.",
		},
		"of a type that is not there": {
			Template{Resource: "example.com/v1/nothings"}, "there are no templates of type example.com/v1/nothings", "there are no templates of type example.com/v1/nothings",
			"The API server does not know this resource. Check its spelling, or install the gateway technology that brings it.",
		},
		"of no type": {Template{Resource: "nothings"}, "not a resource: nothings", "not a resource: nothings", "It must be group/version/resource."},
	} {
		_, ofServer := s.CheckServerTemplate(t.Context(), ServerGateway{Template: test.template})
		ofClient := s.CheckClientTemplate(t.Context(), ClientGateway{Template: test.template})
		for leaf, end := range map[string]struct {
			err     error
			summary string
		}{
			"milan": {ofServer, test.ofServer}, "rome": {ofClient, test.ofClient},
		} {
			if end.summary == "" && end.err == nil {
				continue
			}
			if end.err == nil || explain.Summary(end.err) != end.summary+` on leaf "`+leaf+`"` || explain.Detail(end.err) != test.detail {
				t.Errorf("%s, on %s: got %v", name, leaf, end.err)
			}
		}
	}
}
