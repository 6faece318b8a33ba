package explain

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// taken is the answer of an API server to a Service whose node port another one has.
func taken(port int) error {
	kind, path := schema.GroupKind{Kind: "Service"}, field.NewPath("spec").Child("ports").Index(0).Child("nodePort")
	return apierrors.NewInvalid(kind, "gw-rome", field.ErrorList{
		field.Invalid(path, port, "provided port is already allocated"),
	})
}

func TestTheAPIServerExplainsAServiceThatIsNotMadeOrChanged(t *testing.T) {
	const missing = "Service liqo-tenant-rome/gw-rome does not exist. " +
		"Liqo creates none for a gateway that already has a Deployment."
	const keyMissing = `the key of "rome" is missing` // so the Service is none of the causes
	exposed := gatewayService(corev1.ServiceTypeNodePort)
	exposed.Spec.Ports = []corev1.ServicePort{{Port: 51840, NodePort: 31000}}
	refused := func(message string) error {
		return apierrors.NewForbidden(schema.GroupResource{Resource: "services"}, "gw-rome", errors.New(message))
	}
	for name, test := range map[string]struct {
		existing *corev1.Service // nil for none
		port     int32           // the node port that Liqo wants
		answer   error
		headline string
		parts    []string
	}{
		"its port is taken": {nil, 31000, taken(31000), "the gateway's Service is refused", []string{
			"Liqo can't create Service liqo-tenant-rome/gw-rome. The API server says: Service \"gw-rome\" is invalid: " +
				"spec.ports[0].nodePort: Invalid value: 31000: provided port is already allocated",
		}},
		"a quota": {nil, 31000, refused("exceeded quota: none"), "the gateway's Service is refused", []string{
			"Liqo can't create Service liqo-tenant-rome/gw-rome. The API server says: services \"gw-rome\" is forbidden: " +
				"exceeded quota: none",
		}},
		"nothing, on the second try": {nil, 31000, nil, "the gateway has no Service", []string{missing}},
		"no permission for the dry run": {
			nil, 31000,
			refused(`User "jane" cannot create resource "services" in API group "" in the namespace "liqo-tenant-rome"`),
			"the gateway has no Service", []string{missing, "no permission to create services"},
		},
		"its new port is taken": {exposed, 31777, taken(31777), "the change of the gateway's Service is refused", []string{
			`Liqo can't change Service liqo-tenant-rome/gw-rome. The API server says: Service "gw-rome" is ` +
				`invalid: spec.ports[0].nodePort: Invalid value: 31777: provided port is already allocated`,
		}},
		"Liqo has yet to change it": {exposed, 31777, nil, keyMissing, nil},
		"it has changed":            {exposed, 31000, taken(31000), keyMissing, nil},
	} {
		t.Run(name, func(t *testing.T) {
			objects := []client.Object{exposedGateway(), wireGuardServer(test.port), gatewayDeployment(), readyPod()}
			if test.existing != nil {
				objects = append(objects, test.existing)
			}
			s := milan(t, objects...)
			clustertest.On(s.Leaf, "create patch", func(call clustertest.Call[any]) error {
				service, ok := call.Object.(*corev1.Service)
				if !ok || service.Spec.Ports[0].NodePort != test.port || !call.DryRun {
					t.Errorf("it writes %v", call.Object)
				}
				return test.answer
			})
			says(t, late(t, s), test.headline, test.parts...)
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
	waiting := runningAs(corev1.ServiceTypeLoadBalancer, readyPod())
	says(t, told(t, waiting...), "the load balancer gives no address",
		"Service liqo-tenant-rome/gw-rome is of type LoadBalancer and has no address.\nNo event of the Service says why.",
		`Check that leaf "milan" has a load balancer`, "set `service_type = \"NodePort\"` in `server_gateway`.")
	event := warning("service", "SyncLoadBalancerFailed", "quota of addresses exceeded", time.Minute)
	says(t, told(t, append(waiting, event)...), "the load balancer gives no address",
		"Event SyncLoadBalancerFailed: quota of addresses exceeded.")
}

func TestTheErrorNamesTheServiceThatHasThePortOfALoadBalancer(t *testing.T) {
	holder := gatewayService(corev1.ServiceTypeLoadBalancer)
	holder.Namespace, holder.Name, holder.UID = "liqo-tenant-naples", "gw-naples", "other"
	holder.Spec.Ports = []corev1.ServicePort{{Port: 51840, Protocol: corev1.ProtocolUDP}}
	holder.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
	says(t, told(t, runningAs(corev1.ServiceTypeLoadBalancer, readyPod(), holder)...),
		"the load balancer gives no address",
		"Service liqo-tenant-naples/gw-naples has the port 51840/UDP of the load balancer already.",
		`If the load balancer of "milan" gives all Services the same address, as k3s' ServiceLB does, set another `+
			"`port` in `server_gateway`.")
}

func TestTheAdviceAboutASingleGatewayNamesItsOwnResource(t *testing.T) {
	const change = "Change what the API server refuses, in the `liqo_gateway_server` or on the leaf. Then apply again"
	for headline, test := range map[string]struct {
		objects []client.Object
		advice  string
	}{
		"the load balancer gives no address": {
			runningAs(corev1.ServiceTypeLoadBalancer, readyPod()),
			"set `service_type = \"NodePort\"` in the `liqo_gateway_server`.",
		},
		"the gateway's Service is refused": {
			[]client.Object{exposedGateway(), gatewayDeployment(), readyPod(), wireGuardServer(31000)}, change,
		},
		"the change of the gateway's Service is refused": {append(runningGateway(), wireGuardServer(31000)), change},
	} {
		t.Run(headline, func(t *testing.T) {
			s := milan(t, test.objects...)
			s.Alone = true
			clustertest.Fail[any](s.Leaf, "create patch", apierrors.NewBadRequest("no"))
			says(t, late(t, s), headline, test.advice)
		})
	}
}
