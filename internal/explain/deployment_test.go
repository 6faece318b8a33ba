package explain

import (
	"errors"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestTheErrorNamesARefusedPod(t *testing.T) {
	refused := stoppedDeployment("pods \"gw-rome\" is forbidden: exceeded quota")
	says(t, told(t, exposedGateway(), gatewayService(corev1.ServiceTypeNodePort), refused), "the gateway's pod is refused",
		"Deployment liqo-tenant-rome/gw-rome can't create its pod: pods \"gw-rome\" is forbidden: exceeded quota.",
		"The leaf's policies, quotas and Pod Security labels must allow this in namespace liqo-tenant-rome.")
}

func TestTheErrorNamesADeploymentWithoutPods(t *testing.T) {
	event := warning("deployment", "Stuck", "nobody is there", time.Minute)
	says(t, told(t, append(runningAs(corev1.ServiceTypeNodePort), event)...), "the gateway has no pod",
		"Deployment liqo-tenant-rome/gw-rome has no pod, and its status does not say why.\nEvent Stuck: nobody is "+
			"there.", "kube-controller-manager")
}

func TestTheErrorHasAllCausesOfAGateway(t *testing.T) {
	says(t, told(t, runningAs(corev1.ServiceTypeLoadBalancer)...), "the gateway has no pod",
		`In addition, the load balancer gives no address on leaf "milan".`)
}

// Liqo writes into its log alone why it can't make a Deployment.
func TestTheAPIServerExplainsAMissingDeployment(t *testing.T) {
	deployments := schema.GroupResource{Group: "apps", Resource: "deployments"}
	for name, test := range map[string]struct {
		answer         error
		headline, part string
	}{
		"a policy": {
			apierrors.NewForbidden(deployments, "gw-rome",
				errors.New(`admission webhook "kyverno" denied the request: no limits`)),
			"the gateway's Deployment is refused",
			"Liqo can't create Deployment liqo-tenant-rome/gw-rome. The API server says: deployments.apps \"gw-rome\" is " +
				"forbidden: admission webhook \"kyverno\" denied the request: no limits",
		},
		"no permission for the dry run": {
			apierrors.NewForbidden(deployments, "gw-rome", errors.New(
				`User "jane" cannot create resource "deployments" in API group "apps" in the namespace "liqo-tenant-rome"`)),
			"Liqo does not react", "logs -l app.kubernetes.io/name=controller-manager",
		},
		"nothing, on the second try": {nil, "Liqo does not react", "logs -l app.kubernetes.io/name=controller-manager"},
	} {
		t.Run(name, func(t *testing.T) {
			technology := wireGuardServer(31000)
			technology.Spec.Deployment.Spec.Template.Spec.PriorityClassName = "high"
			s := milan(t, exposedGateway(), technology, liqoControllers(1))
			clustertest.On(s.Leaf, "create", func(call clustertest.Call[any]) error {
				if made, ok := call.Object.(*appsv1.Deployment); !ok || !call.DryRun ||
					made.Spec.Template.Spec.PriorityClassName != "high" {
					t.Errorf("it makes %v", call.Object)
				}
				return test.answer
			})
			says(t, late(t, s), test.headline, test.part)
			if test.headline == "the gateway's Deployment is refused" && !s.Refuses(t.Context()) {
				t.Error("a wait would not end")
			}
		})
	}
}
