package end

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestAServiceLosesOnlyWhatEarlierSettingsGaveIt(t *testing.T) {
	earlier := clustertest.GatewayServer("rome", 51840)
	earlier.Spec.ServiceAnnotations = map[string]string{"speed": "fast", "zone": "a"}
	earlier.Spec.ServiceLabels = map[string]string{"team": "network"}
	service := clustertest.GatewayService("rome")
	service.Spec.ClusterIPs = []string{"10.96.0.7"} // Kubernetes chooses what Liqo leaves open
	service.Spec.Ports = []corev1.ServicePort{{Port: 51840, NodePort: 30500, Protocol: corev1.ProtocolUDP}}
	service.Annotations = map[string]string{"speed": "slow", "zone": "a", "cloud.example.com/id": "7"}
	service.Labels["team"] = "network"
	milan := milansEnd(t, service)

	var desired networkingv1beta1.ServiceTemplate
	desired.Metadata.Annotations = map[string]string{"speed": "slow"}
	desired.Spec.Type = corev1.ServiceTypeNodePort
	desired.Spec.Ports = []corev1.ServicePort{{Port: 51840, Protocol: corev1.ProtocolUDP}}
	got, err := milan.changeService(t.Context(), earlier, desired)
	must(t, err)
	_, zone := got.Annotations["zone"]
	_, team := got.Labels["team"]
	if zone || team || got.Annotations["speed"] != "slow" || got.Annotations["cloud.example.com/id"] != "7" {
		t.Errorf("the Service has %v and %v", got.Annotations, got.Labels)
	}
}
