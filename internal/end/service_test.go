package end

import (
	"context"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

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

func TestARestartIsOverWhenTheNewPodsAreAvailableAndTheOldOnesAreGone(t *testing.T) {
	template := func(mtu string) corev1.PodTemplateSpec {
		return corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "wireguard", Args: []string{"--mtu=" + mtu}}},
		}}
	}
	done := appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 1, UpdatedReplicas: 1, AvailableReplicas: 1}
	for name, test := range map[string]struct {
		mtu    string
		change func(*appsv1.DeploymentStatus)
		over   bool
	}{
		"it has the new pod only":      {"1300", func(*appsv1.DeploymentStatus) {}, true},
		"Liqo has not changed it":      {"1340", func(*appsv1.DeploymentStatus) {}, false},
		"Kubernetes has not seen it":   {"1300", func(s *appsv1.DeploymentStatus) { s.ObservedGeneration = 1 }, false},
		"the new pod is not available": {"1300", func(s *appsv1.DeploymentStatus) { s.AvailableReplicas = 0 }, false},
		"it has the old pod only":      {"1300", func(s *appsv1.DeploymentStatus) { s.UpdatedReplicas = 0 }, false},
		"it has both pods": {
			"1300", func(s *appsv1.DeploymentStatus) { s.Replicas, s.AvailableReplicas = 2, 2 }, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			untilTimeIsUp(t, func(ctx context.Context, t *testing.T) {
				t.Helper()
				deployment := clustertest.GatewayDeployment("rome")
				deployment.Generation, deployment.Spec.Template, deployment.Status = 2, template(test.mtu), done
				test.change(&deployment.Status)
				var changed parts
				changed.Deployment.Spec.Template = template("1300")
				gateway := EnsuredGateway{Object: exposedGateway(), Restarts: true, parts: &changed}
				if err := milansEnd(t, deployment).WaitForRollout(ctx, gateway); (err == nil) != test.over {
					t.Errorf("got %v", err)
				}
			})
		})
	}
	if err := milansEnd(t).WaitForRollout(t.Context(), EnsuredGateway{Object: exposedGateway()}); err != nil {
		t.Errorf("a gateway that does not restart: got %v", err)
	}
}
