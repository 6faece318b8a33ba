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

	var wanted networkingv1beta1.ServiceTemplate
	wanted.Metadata.Annotations = map[string]string{"speed": "slow"}
	wanted.Spec.Type = corev1.ServiceTypeNodePort
	wanted.Spec.Ports = []corev1.ServicePort{{Port: 51840, Protocol: corev1.ProtocolUDP}}
	got, err := milan.changeService(t.Context(), earlier, wanted)
	if err != nil {
		t.Fatal(err)
	}
	_, zone := got.Annotations["zone"]
	_, team := got.Labels["team"]
	if zone || team || got.Annotations["speed"] != "slow" || got.Annotations["cloud.example.com/id"] != "7" {
		t.Errorf("the Service has %v and %v", got.Annotations, got.Labels)
	}
}

func TestAnEndpointIsTheServicesOnlyAfterLiqoHasSeenTheChange(t *testing.T) {
	inCluster, onNode, balanced := []string{"10.96.0.7"}, []string{"172.18.0.2"}, []string{"192.0.2.1"}
	for name, test := range map[string]struct {
		kind     corev1.ServiceType
		asked    string // of the load balancer
		endpoint Endpoint
		reaches  bool
	}{
		"a node port":         {corev1.ServiceTypeNodePort, "", Endpoint{onNode, 31000, "UDP"}, true},
		"an older node port":  {corev1.ServiceTypeNodePort, "", Endpoint{onNode, 30999, "UDP"}, false},
		"a load balancer":     {corev1.ServiceTypeLoadBalancer, "", Endpoint{balanced, 51840, "UDP"}, true},
		"a node port before":  {corev1.ServiceTypeLoadBalancer, "", Endpoint{onNode, 31000, "UDP"}, false},
		"a cluster IP before": {corev1.ServiceTypeLoadBalancer, "", Endpoint{inCluster, 51840, "UDP"}, false},
		"an address before the asked one": {
			corev1.ServiceTypeLoadBalancer, "192.0.2.9", Endpoint{balanced, 51840, "UDP"}, false,
		},
		"a cluster IP":           {corev1.ServiceTypeClusterIP, "", Endpoint{inCluster, 51840, "UDP"}, true},
		"a load balancer before": {corev1.ServiceTypeClusterIP, "", Endpoint{balanced, 51840, "UDP"}, false},
	} {
		service := clustertest.GatewayService("rome")
		service.Spec.Type, service.Spec.ClusterIPs, service.Spec.LoadBalancerIP = test.kind, inCluster, test.asked
		service.Spec.Ports = []corev1.ServicePort{{Port: 51840, NodePort: 31000}}
		if reaches := test.endpoint.reaches(service); reaches != test.reaches {
			t.Errorf("%s: reaches: %t", name, reaches)
		}
	}
}
