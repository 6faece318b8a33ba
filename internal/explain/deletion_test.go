package explain

import (
	"context"
	"errors"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

var deploymentKind = appsv1.SchemeGroupVersion.WithKind("Deployment")

func TestTheErrorSaysWhatBlocksADeletion(t *testing.T) {
	const held = "GatewayServer liqo-tenant-rome/rome is not deleted"
	refused := warning("gateway", "DeletionRefused", "it is in use", time.Minute)
	says(t, told(t, leavingGateway("liqo.io/hold"), liqoControllers(1), refused), held,
		"GatewayServer liqo-tenant-rome/rome still exists: it waits for the finalizer liqo.io/hold.\n"+
			"Event DeletionRefused: it is in use.", "has 1 of 1 replicas available",
		"Do not remove a finalizer by hand: the controller")
	says(t, told(t, leavingGateway("liqo.io/hold"), liqoControllers(0)), "Liqo's controllers do not run",
		"waits for the finalizer liqo.io/hold.", "has 0 of 1 replicas available",
		"describe deployment -l app.kubernetes.io/name=controller-manager\n\nDestroy or apply again;",
		"Do not remove a finalizer by hand: the controller")
	byOthers := told(t, leavingGateway("example.com/hold"), liqoControllers(0))
	says(t, byOthers, held, "waits for the finalizer example.com/hold.")
	lacks(t, byOthers, "controller-manager") // the finalizer is not Liqo's
}

func TestAnUnfinishedDeletionIsTheOnlyCause(t *testing.T) {
	err := told(t, leavingGateway("example.com/hold"), clustertest.Configuration("rome"), gatewayDeployment(),
		gatewayService(corev1.ServiceTypeLoadBalancer))
	says(t, err, "GatewayServer liqo-tenant-rome/rome is not deleted")
	lacks(t, err, "In addition")
}

// unfinishedDeletion returns the error for the deletion of an object on Milan that did not end.
func unfinishedDeletion(
	t *testing.T, kind schema.GroupVersionKind, object client.Object, others ...client.Object,
) error {
	t.Helper()
	leaf := milan(t, append(others, object)...).Leaf
	return Deletion(t.Context(), leaf, kind, client.ObjectKeyFromObject(object), context.DeadlineExceeded)
}

func TestTheErrorOfADeletionNamesTheObject(t *testing.T) {
	const text = `Time ran out while waiting for Deployment liqo-tenant-rome/gw-rome to be deleted on "milan".` +
		"\n\nDeployment liqo-tenant-rome/gw-rome still exists: it is not marked for deletion." +
		"\n\nDestroy or apply again; this continues from what is left. " +
		"If the deletion is only slow, allow more time in `timeouts`."
	if got := Detail(unfinishedDeletion(t, deploymentKind, gatewayDeployment())); got != text {
		t.Errorf("got:\n%s", got)
	}
	if err := Deletion(t.Context(), milan(t).Leaf, deploymentKind, client.ObjectKey{Name: "gone"}, nil); err != nil {
		t.Errorf("a complete deletion has the error %v", err)
	}
}

func TestAnOwnerThatMayNotBeReadIsNotCalledGone(t *testing.T) {
	deployment := ownedDeployment(networkingv1beta1.GatewayServerKind)
	leaf := milan(t, deployment).Leaf
	clustertest.On(leaf, "get", func(call clustertest.Call[client.Object]) error {
		if call.Object.GetObjectKind().GroupVersionKind().Kind == networkingv1beta1.GatewayServerKind {
			return apierrors.NewForbidden(networkingv1beta1.GatewayServerGroupResource, "rome", errors.New(
				`User "terraform" cannot get resource "gatewayservers" in API group "networking.liqo.io" `+
					`in the namespace "liqo-tenant-rome"`))
		}
		return call.Send()
	})
	err := Deletion(t.Context(), leaf, deploymentKind, client.ObjectKeyFromObject(deployment), context.DeadlineExceeded)
	clustertest.Has(t, Detail(err), "could not be read", "no permission to get gatewayservers")
	lacks(t, err, "is gone")
}

// ownedDeployment is a Deployment with an owner of this kind of Liqo's.
func ownedDeployment(kind string) *appsv1.Deployment {
	deployment := gatewayDeployment()
	deployment.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: networkingv1beta1.GroupVersion.String(), Kind: kind, Name: "rome", UID: "owner",
	}}
	return deployment
}

func TestAnObjectThatIsGoneMeanwhileIsNotTheCause(t *testing.T) {
	err := Deletion(t.Context(), milan(t, liqoControllers(1)).Leaf, deploymentKind, client.ObjectKey{Name: "gone"},
		context.DeadlineExceeded)
	reads(t, err, `gave up waiting for Deployment gone to be deleted on leaf "milan"`)
}

func TestTheErrorOfANamespaceSaysWhatIsLeftInIt(t *testing.T) {
	namespace := clustertest.Namespace("liqo-tenant-rome")
	namespace.DeletionTimestamp, namespace.Finalizers = new(metav1.Now()), []string{"kubernetes"}
	namespace.Status.Conditions = []corev1.NamespaceCondition{
		{Type: corev1.NamespaceContentRemaining, Status: corev1.ConditionTrue, Message: "Some are remaining: pods."},
		{Type: corev1.NamespaceDeletionDiscoveryFailure, Status: corev1.ConditionFalse, Message: "successfully discovered"},
	}
	err := unfinishedDeletion(t, corev1.SchemeGroupVersion.WithKind("Namespace"), namespace)
	reads(t, err, `Namespace liqo-tenant-rome is not deleted on leaf "milan"`,
		"waiting for Namespace liqo-tenant-rome to be deleted",
		"waits for the finalizer kubernetes.\nSome are remaining: pods.")
	lacks(t, err, "successfully")
}

func TestAnObjectWithAnOwnerWaitsForTheOwner(t *testing.T) {
	owner := &networkingv1beta1.WgGatewayServer{ObjectMeta: forRome("owner")}
	owner.DeletionTimestamp, owner.Finalizers = new(metav1.Now()), []string{"networking.liqo.io/hold"}
	owned := ownedDeployment(networkingv1beta1.WgGatewayServerKind)
	const byOwner = "WgGatewayServer liqo-tenant-rome/rome still exists: it waits for the finalizer " +
		"networking.liqo.io/hold."
	const byKubernetes = "Deployment liqo-tenant-rome/gw-rome still exists: " +
		"Kubernetes has not noticed yet that its owner, WgGatewayServer rome, is gone."
	for name, test := range map[string]struct {
		others   []client.Object
		expected string
	}{
		"that still exists": {[]client.Object{owner, liqoControllers(1)}, byOwner},
		"that is gone":      {nil, byKubernetes},
	} {
		t.Run(name, func(t *testing.T) {
			clustertest.Has(t, Detail(unfinishedDeletion(t, deploymentKind, owned, test.others...)),
				"\n\n"+test.expected+"\n")
		})
	}
	t.Run("whose events are forbidden to read", func(t *testing.T) {
		leaf := milan(t, owner, owned, liqoControllers(1)).Leaf
		clustertest.Fail[any](leaf, "list", apierrors.NewForbidden(schema.GroupResource{Resource: "events"}, "", nil))
		err := Deletion(t.Context(), leaf, deploymentKind, client.ObjectKeyFromObject(owned), context.DeadlineExceeded)
		clustertest.Has(t, Detail(err), byOwner, "events is forbidden")
	})
}

func TestTheErrorSaysThatAnObjectIsMarkedForDeletion(t *testing.T) {
	if got := held(leavingGateway()); got != "it is marked for deletion" {
		t.Errorf("got %q", got)
	}
}
