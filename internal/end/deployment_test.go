package end

import (
	"errors"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// answering lets a leaf give this answer to dry runs of Deployments. It returns how many there were of each verb.
func answering(t *testing.T, e *End, answer error) map[string]int {
	t.Helper()
	asked := map[string]int{}
	clustertest.On(e.Leaf, "create patch", func(call clustertest.Call[*appsv1.Deployment]) error {
		asked[call.Verb]++
		if !call.DryRun || len(call.Object.Spec.Template.Spec.Containers) == 0 {
			t.Errorf("it is no dry run of %+v", call.Object.Spec)
		}
		return answer
	})
	return asked
}

func TestADeploymentThatTheAPIServerRefusesIsNamedBeforeTheGatewayChanges(t *testing.T) {
	resource := schema.GroupResource{Group: "apps", Resource: "deployments"}
	invalid := apierrors.NewInvalid(appsv1.SchemeGroupVersion.WithKind("Deployment").GroupKind(), "gw-rome",
		field.ErrorList{field.Invalid(field.NewPath("spec", "replicas"), -1, "must not be negative")})
	for name, test := range map[string]struct {
		answer  error
		refused bool
	}{
		"accepted":  {nil, false},
		"not valid": {invalid, true},
		"denied by a policy": {
			apierrors.NewForbidden(resource, "gw-rome", errors.New(`admission webhook "a" denied the request: no`)), true,
		},
		"not permitted": {apierrors.NewForbidden(resource, "", errors.New(
			`User "terraform" cannot create resource "deployments" in API group "apps" in the namespace "liqo-tenant-rome"`)),
			false},
		"not known": {apierrors.NewInternalError(errors.New("no answer")), false},
	} {
		t.Run(name, func(t *testing.T) {
			milan := milansEnd(t)
			asked := answering(t, milan, test.answer)
			_, err := milan.EnsureGateway(t.Context(), "liqo-tenant-rome", liqo.Endpoint{}, replicated())
			if refused := err != nil; refused != test.refused || asked["create"] != 1 {
				t.Errorf("got %v after %v dry runs", err, asked)
			}
			if gateway := found(t, milan).Gateway; (gateway == nil) != test.refused {
				t.Errorf("there is the gateway %v", gateway)
			}

			milan = milansEnd(t, clustertest.GatewayDeployment("rome"))
			asked = answering(t, milan, test.answer)
			made := parts{}
			made.Deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "gateway"}}
			changed := desiredGateway{Gateway: liqo.GatewayOf(exposedGateway()), derived: &unstructured.Unstructured{}}
			err = milan.checkDeployment(t.Context(), changed, made)
			if refused := err != nil; refused != test.refused || asked["patch"] != 1 {
				t.Errorf("of a change: got %v after %v dry runs", err, asked)
			}
			if test.refused {
				says(t, err, `the gateway's Deployment is refused on leaf "milan"`)
			}
		})
	}
}

func TestNobodyAsksForTheDeploymentOfAGatewayWithoutSettingsOfItsPods(t *testing.T) {
	milan := milansEnd(t)
	asked := answering(t, milan, nil)
	ensure(t, milan, overNodePort())
	if len(asked) > 0 {
		t.Errorf("there were %v dry runs", asked)
	}
}
