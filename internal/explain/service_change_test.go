package explain

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestTheAPIServerExplainsAServiceThatDoesNotChange(t *testing.T) {
	taken := apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Service").GroupKind(), "gw-rome",
		field.ErrorList{field.Invalid(field.NewPath("spec").Child("ports").Index(0).Child("nodePort"), 31777,
			"provided port is already allocated")})
	for name, test := range map[string]struct {
		wanted int32 // the node port that Liqo wants; the Service has 31000
		answer error
		causes int
	}{
		"its port is taken":         {31777, taken, 1},
		"Liqo has yet to change it": {31777, nil, 0},
		"it has changed":            {31000, taken, 0},
	} {
		t.Run(name, func(t *testing.T) {
			technology := &networkingv1beta1.WgGatewayServer{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-rome",
				Name: "rome"}}
			technology.Spec.Service.Spec.Type = corev1.ServiceTypeNodePort
			technology.Spec.Service.Spec.Ports = []corev1.ServicePort{{Port: 51840, NodePort: test.wanted}}
			gateway, existing := exposedGateway(), gatewayService(corev1.ServiceTypeNodePort)
			existing.Spec.Ports = []corev1.ServicePort{{Port: 51840, NodePort: 31000}}
			s := milan(t, gateway, technology, gatewayDeployment(), readyPod(), existing)
			clustertest.On(s.Leaf, "patch", func(call clustertest.Call[any]) error {
				service, ok := call.Object.(*corev1.Service)
				if !ok || service.Spec.Ports[0].NodePort != test.wanted || !call.DryRun {
					t.Errorf("it changes %v", call.Object)
				}
				return test.answer
			})
			causes, err := serviceChange(t.Context(), s, view{Objects: liqo.Objects{Gateway: liqo.GatewayOf(gateway)}})
			if err != nil || len(causes) != test.causes {
				t.Fatalf("%+v (%v)", causes, err)
			}
			const expected = `Liqo can't change Service liqo-tenant-rome/gw-rome. The API server says: Service "gw-rome" is ` +
				`invalid: spec.ports[0].nodePort: Invalid value: 31777: provided port is already allocated`
			if len(causes) > 0 && causes[0].Evidence[0] != expected {
				t.Errorf("got %q", causes[0].Evidence[0])
			}
		})
	}
}
