package explain

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// unreachable is the error of a request to an API server that does not answer.
var unreachable = &url.Error{
	Op: "Get", URL: "https://milan.example:6443/api/v1/pods", Err: errors.New("connection refused"),
}

func TestALeafThatDoesNotAnswerIsTheOnlyCause(t *testing.T) {
	s := milan(t, runningAs(corev1.ServiceTypeLoadBalancer)...)
	clustertest.Fail[any](s.Leaf, "list", unreachable)
	err := late(t, s)
	says(t, err, "the API server can't be reached", "milan.example:6443: connection refused")
	lacks(t, err, "load balancer", "could not be read")
}

func TestAnotherErrorIsNotAnUnreachableLeaf(t *testing.T) {
	found := diagnose(t.Context(), milan(t).Leaf, func(context.Context) ([]cause, error) { return nil, errors.New("no") })
	if len(found.causes) > 0 || !slices.Equal(found.unanswered, []string{"no"}) {
		t.Errorf("got %+v", found)
	}
}
