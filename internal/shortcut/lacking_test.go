package shortcut

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// running is what Kubernetes has of the gateway for another cluster, in each state that a text is written about.
func running(remote string) []client.Object {
	deployment, service := clustertest.GatewayDeployment(remote), clustertest.GatewayService(remote)
	deployment.Spec.Template.Spec.Containers = []corev1.Container{
		{Name: "wireguard", Image: "gateway", Args: []string{"-v"}},
	}
	deployment.Status.Conditions = []appsv1.DeploymentCondition{{
		Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Message: "quota",
	}}
	service.Spec.Type = corev1.ServiceTypeLoadBalancer
	service.Spec.Ports = []corev1.ServicePort{{Port: 51840, NodePort: 31000, Protocol: corev1.ProtocolUDP}}
	service.Spec.ClusterIPs, service.Spec.ClusterIP = []string{"10.96.0.7"}, "10.96.0.7"
	waiting := &corev1.Pod{ObjectMeta: *service.ObjectMeta.DeepCopy(), Spec: corev1.PodSpec{NodeName: "one"}}
	waiting.Status = corev1.PodStatus{
		Phase: corev1.PodPending, HostIP: "192.0.2.7", PodIP: "10.0.0.7",
		HostIPs: []corev1.HostIP{{IP: "192.0.2.7"}}, PodIPs: []corev1.PodIP{{IP: "10.0.0.7"}},
		Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "no CPU"}},
		ContainerStatuses: []corev1.ContainerStatus{{
			Name: "wireguard", Image: "gateway", RestartCount: 2,
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull", Message: "no"}},
			LastTerminationState: corev1.ContainerState{
				Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", Message: "no"},
			},
		}},
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Status: corev1.NodeStatus{
		Addresses:  []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "192.0.2.7"}},
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionFalse, Message: "lost"}},
	}}
	return []client.Object{deployment, service, waiting, node}
}

func TestNothingThatIsMissingOnALeafStopsTheProvider(t *testing.T) {
	down := networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.Connecting}
	dialling, listening := clustertest.ClientEnd("milan", down), clustertest.ServerEnd("rome", down)
	for name, objects := range map[string]struct{ rome, milan []client.Object }{
		"that dials":   {rome: append(dialling, running("milan")...)},
		"that listens": {milan: append(listening, running("rome")...)},
	} {
		t.Run(name, func(t *testing.T) {
			look := func(rome, milan []client.Object) {
				s := New(leafWith(t, "rome", rome...), leafWith(t, "milan", milan...)).OwnedBy(me)
				for _, err := range []error{
					errorOf(s.Observe(t.Context())), errorOf(s.Inspect(t.Context())), errorOf(s.lost(t.Context())),
					errorOf(s.isBeingDeleted(t.Context())), errorOf(s.Overlaps(t.Context(), [2]liqo.Ranges{})),
					errorOf(s.Announce(t.Context(), s.Client, end.Announcement{})),
					s.whyDown(t), errorOf(s.Client.ChangesGateway(t.Context(), liqo.GatewaySettings{Role: liqo.ClientRole})),
					errorOf(s.Server.ChangesGateway(t.Context(), liqo.GatewaySettings{Role: liqo.ServerRole})),
				} {
					_ = explain.Detail(err)
				}
			}
			if objects.rome == nil {
				for lacking := range clustertest.Lacking(t, objects.milan) {
					look(dialling, lacking)
				}
				return
			}
			for lacking := range clustertest.Lacking(t, objects.rome) {
				look(lacking, listening)
			}
		})
	}
}
