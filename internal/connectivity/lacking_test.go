package connectivity

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestNothingThatIsMissingOnALeafStopsTheProvider(t *testing.T) {
	gateway, deployment := clustertest.GatewayServer("milan", 51840), clustertest.GatewayDeployment("milan")
	deployment.Spec.Template.Spec.Containers = []corev1.Container{{Image: "ghcr.io/liqotech/gateway:v1.2.0"}}
	milan := clustertest.Leaf(t, "milan")
	for lacking := range clustertest.Lacking(t, []client.Object{
		clustertest.Remapped("milan", "10.71.0.0/16", "10.68.0.0/16"), gateway, deployment, newNode("one"),
	}) {
		s := newStation(clustertest.Leaf(t, "rome", lacking...), milan, "run")
		if s.prepare(t.Context(), Options{}) == nil && s.image.name == "" {
			t.Error("its pods have no image")
		}
	}
}
