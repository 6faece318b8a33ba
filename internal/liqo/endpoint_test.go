package liqo

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

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
		t.Run(name, func(t *testing.T) {
			service := &corev1.Service{}
			service.Spec.Type, service.Spec.ClusterIPs, service.Spec.LoadBalancerIP = test.kind, inCluster, test.asked
			service.Spec.Ports = []corev1.ServicePort{{Port: 51840, NodePort: 31000}}
			if reaches := test.endpoint.Reaches(service); reaches != test.reaches {
				t.Errorf("reaches: %t", reaches)
			}
		})
	}
}
