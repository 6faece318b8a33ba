package explain

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestTheAPIServerExplainsAMissingService(t *testing.T) {
	const missing = "Service liqo-tenant-rome/gw-rome does not exist. " +
		"Liqo creates none for a gateway that already has a Deployment."
	taken := apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Service").GroupKind(), "gw-rome",
		field.ErrorList{field.Invalid(field.NewPath("spec").Child("ports").Index(0).Child("nodePort"), 31000,
			"provided port is already allocated")})
	services := schema.GroupResource{Resource: "services"}
	for name, test := range map[string]struct {
		answer            error
		summary, evidence string
		unanswered        string // why the API server did not answer; empty if it did
	}{
		"its port is taken": {
			taken, "the gateway's Service is refused",
			"Liqo can't create Service liqo-tenant-rome/gw-rome. The API server says: Service \"gw-rome\" is invalid: " +
				"spec.ports[0].nodePort: Invalid value: 31000: provided port is already allocated", "",
		},
		"a quota": {
			apierrors.NewForbidden(services, "gw-rome", errors.New("exceeded quota: none")),
			"the gateway's Service is refused",
			"Liqo can't create Service liqo-tenant-rome/gw-rome. The API server says: services \"gw-rome\" is forbidden: " +
				"exceeded quota: none", "",
		},
		"nothing, on the second try": {nil, "the gateway has no Service", missing, ""},
		"no permission for the dry run": {
			apierrors.NewForbidden(services, "gw-rome",
				errors.New(`User "jane" cannot create resource "services" in API group "" in the namespace "liqo-tenant-rome"`)),
			"the gateway has no Service", missing, "no permission to create services",
		},
	} {
		t.Run(name, func(t *testing.T) {
			technology := &networkingv1beta1.WgGatewayServer{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-rome",
				Name: "rome"}}
			technology.Spec.Service.Spec.Type = corev1.ServiceTypeNodePort
			gateway := exposedGateway()
			s := milan(t, gateway, technology, gatewayDeployment(), readyPod())
			clustertest.On(s.Leaf, "create", func(call clustertest.Call[any]) error {
				service, ok := call.Object.(*corev1.Service)
				if !ok || service.Spec.Type != corev1.ServiceTypeNodePort || !call.DryRun {
					t.Errorf("it makes %v", call.Object)
				}
				return test.answer
			})
			causes, err := service(t.Context(), s, view{Objects: liqo.Objects{Gateway: liqo.GatewayOf(gateway)}})
			if len(causes) != 1 || causes[0].Summary != test.summary || causes[0].Evidence[0] != test.evidence {
				t.Errorf("%+v", causes)
			}
			if (err == nil) != (test.unanswered == "") || (err != nil && !strings.Contains(err.Error(), test.unanswered)) {
				t.Error(err)
			}
		})
	}
}

func TestAGatewayWithoutADeploymentNeedsNoService(t *testing.T) {
	gateway := exposedGateway()
	causes, err := service(t.Context(), milan(t, gateway), view{Objects: liqo.Objects{Gateway: liqo.GatewayOf(gateway)}})
	if len(causes) > 0 || err != nil {
		t.Errorf("got %+v (%v)", causes, err)
	}
}

func TestTheErrorNamesALoadBalancerThatGivesNoAddress(t *testing.T) {
	waiting := []client.Object{exposedGateway(), gatewayDeployment(), readyPod(),
		gatewayService(corev1.ServiceTypeLoadBalancer)}
	says(t, told(t, waiting...), "the load balancer gives no address",
		"Service liqo-tenant-rome/gw-rome is of type LoadBalancer and has no address.\nNo event of the Service says why.",
		`Check that leaf "milan" has a load balancer`, "set `service_type = \"NodePort\"` in `server_gateway`.")
	says(t, told(t, append(waiting, warning("service", "SyncLoadBalancerFailed", "quota of addresses exceeded",
		time.Minute))...),
		"the load balancer gives no address", "Event SyncLoadBalancerFailed: quota of addresses exceeded.")
}

func TestTheErrorNamesTheServiceThatHasThePortOfALoadBalancer(t *testing.T) {
	holder := gatewayService(corev1.ServiceTypeLoadBalancer)
	holder.Namespace, holder.Name, holder.UID = "liqo-tenant-naples", "gw-naples", "other"
	holder.Spec.Ports = []corev1.ServicePort{{Port: 51840, Protocol: corev1.ProtocolUDP}}
	holder.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
	gateway := exposedGateway()
	gateway.Spec.Endpoint.Port = 51840
	says(t, told(t, gateway, gatewayDeployment(), readyPod(), gatewayService(corev1.ServiceTypeLoadBalancer), holder),
		"the load balancer gives no address",
		"Service liqo-tenant-naples/gw-naples has the port 51840/UDP of the load balancer already.",
		`If the load balancer of "milan" gives all Services the same address, as k3s' ServiceLB does, set another `+
			"`port` in `server_gateway`.")
}

func TestTheAdviceAboutASingleGatewayNamesItsOwnResource(t *testing.T) {
	alone := milan(t, exposedGateway(), gatewayDeployment(), readyPod(), gatewayService(corev1.ServiceTypeLoadBalancer))
	alone.Alone = true
	says(t, Wait(t.Context(), alone, "an end", context.DeadlineExceeded), "the load balancer gives no address",
		"set `service_type = \"NodePort\"` in the `liqo_gateway_server`.")

	technology := &networkingv1beta1.WgGatewayServer{ObjectMeta: written("rome", "")}
	technology.Spec.Service.Spec.Ports = []corev1.ServicePort{{Port: 51840}}
	refusing := func(t *testing.T, objects ...client.Object) Subject {
		t.Helper()
		s := milan(t, append(objects, exposedGateway(), technology, gatewayDeployment(), readyPod())...)
		s.Alone = true
		refusal := apierrors.NewBadRequest("no")
		clustertest.Fail[any](s.Leaf, "create patch", refusal)
		return s
	}
	const advice = "Change what the API server refuses, in the `liqo_gateway_server` or on the leaf. Then apply again"
	says(t, Wait(t.Context(), refusing(t), "an end", context.DeadlineExceeded),
		"the gateway's Service is refused", advice)
	says(t, Wait(t.Context(), refusing(t, gatewayService(corev1.ServiceTypeNodePort)), "an end", context.DeadlineExceeded),
		"the change of the gateway's Service is refused", advice)
}

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
