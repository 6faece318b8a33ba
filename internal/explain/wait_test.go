package explain

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

func TestTheErrorSaysThatALeafShowsNoCause(t *testing.T) {
	says(t, told(t, liqoControllers(1)), "gave up waiting for an end",
		"Nothing on this leaf shows why.\nDeployment liqo/liqo-controller-manager, which runs Liqo's controllers, "+
			"has 1 of 1 replicas available.",
		"\n\nThe log of Liqo's controllers may show it:\n\n"+
			"  kubectl -n liqo logs -l app.kubernetes.io/name=controller-manager --tail=-1\n\n"+
			"If the leaf is only slow, allow more time in `timeouts`. After a create that failed, run `terraform untaint` "+
			"before the next apply, which otherwise replaces what exists.")
}

func TestAnInterruptedWaitDidNotRunOutOfTime(t *testing.T) {
	err := Wait(t.Context(), milan(t, liqoControllers(1)), "an address", context.Canceled)
	clustertest.Has(t, Detail(err), `The work was interrupted while waiting for an address on "milan".`)
}

func TestTheRequestsAfterAWaitHaveTimeOfTheirOwn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := milan(t)
	s.Find = func(ctx context.Context) (liqo.Objects, error) {
		if _, limited := ctx.Deadline(); !limited {
			t.Error("looking may take forever")
		}
		return liqo.Objects{Gateway: liqo.GatewayOf(leavingGateway())}, ctx.Err()
	}
	says(t, Wait(ctx, s, "an end", context.DeadlineExceeded), "GatewayServer liqo-tenant-rome/rome is not deleted")
}

func TestOnlyALateOrInterruptedWaitIsExplained(t *testing.T) {
	s := milan(t)
	s.Find = func(context.Context) (liqo.Objects, error) {
		t.Error("the leaf is asked")
		return liqo.Objects{}, nil
	}
	if err := Wait(t.Context(), s, "an end", nil); err != nil {
		t.Errorf("a successful wait has the error %v", err)
	}
	err := Wait(t.Context(), s, "an end", steps.ErrAborted)
	if !errors.Is(err, steps.ErrAborted) || Summary(err) != "" {
		t.Errorf("another step's failure became %v", err)
	}
	reads(t, Wait(t.Context(), s, "an end", unreachable), `the API server can't be reached on leaf "milan"`)
}

func TestTheErrorOfAWaitKeepsItsCauseAndHasTheWholeText(t *testing.T) {
	err := told(t, leavingGateway("example.com/hold"))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("its cause is lost: %v", err)
	}
	expected := "leaf \"milan\": GatewayServer liqo-tenant-rome/rome is not deleted.\n" + Detail(err)
	if err.Error() != expected {
		t.Errorf("got:\n%v\nexpected:\n%s", err, expected)
	}
}

func TestAForbiddenRequestDoesNotHideTheRest(t *testing.T) {
	s := milan(t, runningAs(corev1.ServiceTypeLoadBalancer)...)
	clustertest.Fail[any](s.Leaf, "list", apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", nil))
	const refusal = "there may be other causes: leaf \"milan\": the API server refuses a request: pods is forbidden"
	err := late(t, s)
	says(t, err, "the load balancer gives no address", refusal)
	if strings.Count(Detail(err), "pods is forbidden") != 1 { // asked for pods and for events
		t.Errorf("the same is said twice:\n%s", Detail(err))
	}
}

func TestTheErrorSaysThatObjectsCouldNotBeRead(t *testing.T) {
	s := milan(t, liqoControllers(1))
	s.Find = func(context.Context) (liqo.Objects, error) { return liqo.Objects{}, errors.New("no cache") }
	says(t, late(t, s), "gave up waiting for an end", "there may be other causes: no cache.")
}

func TestAWaitWhoseRequestsFailedUntilItsEndHasTheLastFailure(t *testing.T) {
	s := milan(t, liqoControllers(1))
	failing := &cluster.WaitError{Err: context.DeadlineExceeded, Last: s.Leaf.Explain(unreachable)}
	says(t, Wait(t.Context(), s, "an end", failing), "the API server can't be reached",
		"The connection failed: milan.example:6443: connection refused")

	held := milan(t, leavingGateway("example.com/hold"))
	says(t, Wait(t.Context(), held, "an end", failing), "GatewayServer liqo-tenant-rome/rome is not deleted",
		"there may be other causes: leaf \"milan\": the API server can't be reached")
}
