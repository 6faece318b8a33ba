package cluster_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// gateways is the resource in the requests.
var gateways = schema.GroupResource{Group: "networking.liqo.io", Resource: "gatewayservers"}

func explained(t *testing.T, err error) *cluster.Error {
	t.Helper()
	var result *cluster.Error
	if err := clustertest.Leaf(t, "milan").Explain(err); !errors.As(err, &result) {
		t.Fatalf("not explained: %v", err)
	}
	return result
}

func TestAMissingPermissionIsNamedWithTheRuleThatGrantsIt(t *testing.T) {
	for name, test := range map[string]struct{ message, summary, role string }{
		"in a namespace": {
			`User "jane" cannot patch resource "gatewayservers" in API group "networking.liqo.io" ` +
				`in the namespace "liqo-tenant-rome"`,
			"no permission to patch gatewayservers.networking.liqo.io",
			`a ClusterRole, or a Role of namespace "liqo-tenant-rome", with`,
		},
		"in the whole cluster": {
			`User "jane" cannot watch resource "gatewayservers" in API group "networking.liqo.io" at the cluster scope`,
			"no permission to watch gatewayservers.networking.liqo.io", "a ClusterRole with",
		},
		"of the core group": {
			`User "jane" cannot get resource "secrets" in API group "" in the namespace "liqo-tenant-rome"`,
			"no permission to get secrets", "a ClusterRole, or a Role",
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := explained(t, apierrors.NewForbidden(gateways, "rome", errors.New(test.message)))
			if err.Summary != test.summary {
				t.Errorf("the summary is %q", err.Summary)
			}
			clustertest.Has(t, err.Detail(), `Give user "jane" `+test.role, "verbs: [")
		})
	}
}

func TestTheLinesOfARefusalAreLines(t *testing.T) {
	err := explained(t, apierrors.NewForbidden(gateways, "rome", errors.New(
		"admission webhook \"validate.kyverno.svc-fail\" denied the request:\n\npolicy no-gateways:\n\tports: not these")))
	const lines = "denied the request:\n  | policy no-gateways:\n  |   ports: not these"
	if detail := err.Detail(); !strings.Contains(detail, lines) || strings.Contains(detail, `\n`) {
		t.Errorf("the detail is %q", detail)
	}
}

func TestAMissingPermissionToCreateIsNamedAlthoughKubernetes130DoesNotNameIt(t *testing.T) {
	err := explained(t, apierrors.NewForbidden(gateways, "rome", errors.New("")))
	if err.Summary != "no permission to create gatewayservers.networking.liqo.io" {
		t.Errorf("the summary is %q", err.Summary)
	}
	clustertest.Has(t, err.Detail(), "Give the user of the provider block a ClusterRole with", `verbs: ["create"]`)
}

func TestARuleOfTheClusterIsNotTakenForAMissingPermission(t *testing.T) {
	for name, err := range map[string]error{
		"a quota": apierrors.NewForbidden(gateways, "rome",
			errors.New("exceeded quota: none, requested: count/gatewayservers=1")),
		"a policy": &apierrors.StatusError{ErrStatus: metav1.Status{
			Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid,
			Message: `gatewayservers "rome" is forbidden: ` +
				"ValidatingAdmissionPolicy 'none' with binding 'none' denied request: not here",
		}},
		"a webhook": &apierrors.StatusError{ErrStatus: metav1.Status{
			Code: http.StatusBadRequest, Message: `admission webhook "no.example" denied the request: not here`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got := explained(t, err)
			if got.Summary != "the API server refuses a request" {
				t.Errorf("got %q", got.Summary)
			}
			clustertest.Has(t, got.Detail(), err.Error())
		})
	}
}

func TestARequestWithoutAnAnswerIsNotKnownToHaveFailed(t *testing.T) {
	err := explained(t, &url.Error{
		Op: "Patch", URL: "https://milan.example:6443/apis?fieldManager=x", Err: context.DeadlineExceeded,
	})
	if err.Summary != "the API server did not answer in time" || !cluster.Unreachable(err) {
		t.Errorf("got %q", err.Summary)
	}
	detail := err.Detail()
	if !strings.Contains(detail, "milan.example:6443") || strings.Contains(detail, "fieldManager") {
		t.Errorf("the detail is %q: it should have the address and nothing else of the URL", detail)
	}
}

func TestAnAnswerThatIsCutOffIsAnOutage(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"major":`))
	}))
	defer server.Close()
	served, err := discovery.NewDiscoveryClientForConfig(&rest.Config{Host: server.URL})
	must(t, err)
	_, failure := served.ServerVersion()
	got := explained(t, failure)
	if !cluster.Unreachable(got) || got.Summary != "the API server's answer was cut off" {
		t.Errorf("got %q", got.Summary)
	}
	if detail := got.Detail(); !strings.HasPrefix(detail, "The connection failed: ") {
		t.Errorf("the detail is %q", detail)
	}
}
