package direct

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

var me = Owner{Token: "me"}

// paths returns the paths from Milan and Rome to each other's pods.
func paths(t *testing.T, s *Service) string {
	t.Helper()
	state, err := s.Observe(t.Context())
	must(t, err)
	var all []string
	for _, leaf := range state.Leaves {
		for _, endpoint := range leaf.Endpoints {
			if endpoint.Path != Local {
				all = append(all, string(endpoint.Path))
			}
		}
	}
	return strings.Join(all, ", ")
}

// annotations returns those of the Service in the centre.
func annotations(t *testing.T, centre *cluster.Leaf) map[string]string {
	t.Helper()
	var service corev1.Service
	must(t, centre.Clients().Live.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: "web"}, &service))
	return service.Annotations
}

func TestARequestIsMadeAndWithdrawnAndNothingElseOfTheServiceChanges(t *testing.T) {
	for name, owner := range map[string]Owner{"its own": me, "an imported one": {Token: "me", Claims: true}} {
		t.Run(name, func(t *testing.T) {
			s, centre := followed(t, web(map[string]string{"team": "shop"}))
			must(t, s.Request(t.Context(), owner))
			if got := paths(t, s); got != "Direct, Direct" {
				t.Errorf("after the request: %s", got)
			}
			if got := annotations(t, centre); len(got) != 2 || got[annotation] != requested {
				t.Errorf("after the request: %v", got)
			}
			others, unchecked, err := s.Withdraw(t.Context(), owner)
			if err != nil || len(others) > 0 || len(unchecked) > 0 {
				t.Fatalf("%v, %v, %v", others, unchecked, err)
			}
			if got := paths(t, s); got != "Central, Central" {
				t.Errorf("after the withdrawal: %s", got)
			}
			if got := annotations(t, centre); len(got) != 1 || got["team"] != "shop" {
				t.Errorf("after the withdrawal: %v", got)
			}
		})
	}
}

func TestAWithdrawalEndsIfTheServiceRequestsDirectConnectionsAgainOrGoes(t *testing.T) {
	for name, change := range map[string]func(context.Context, client.Client) error{
		"again": func(ctx context.Context, c client.Client) error {
			return c.Patch(ctx, web(nil), client.RawPatch(types.MergePatchType,
				[]byte(`{"metadata":{"annotations":{"liqo.io/use-direct-connections":"true"}}}`)))
		},
		"gone": func(ctx context.Context, c client.Client) error { return c.Delete(ctx, web(nil)) },
	} {
		t.Run(name, func(t *testing.T) {
			centre := europe(t, web(asked))
			r, m := rome(t, joined("milan"), reflected("web-milan", toMilan)), // which never follow
				milan(t, joined("rome"), reflected("web-rome", toRome))
			var once sync.Once
			clustertest.On(r, "list", func(call clustertest.Call[any]) error {
				once.Do(func() { // while the withdrawal waits
					if err := change(call.Context, centre.Clients().Live); err != nil {
						t.Error(err)
					}
				})
				return call.Send()
			})
			if _, _, err := of(centre, r, m).Withdraw(t.Context(), Owner{Token: "me", Claims: true}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestARequestForAServiceThatDoesNotExistSaysSoAndCreatesNone(t *testing.T) {
	centre := europe(t, web(nil))
	s := New(centre, "shop", "wep", nil)
	err := s.Request(t.Context(), me)
	if explain.Summary(err) != `Service shop/wep does not exist on leaf "europe"` {
		t.Errorf("got %v", err)
	}
	if _, _, err := s.Withdraw(t.Context(), me); err != nil {
		t.Errorf("withdrawn: %v", err)
	}
	var all corev1.ServiceList
	if err := centre.Clients().Live.List(t.Context(), &all); err != nil || len(all.Items) != 1 {
		t.Errorf("%d Services, %v", len(all.Items), err)
	}
}

func TestARequestDoesNotWaitForALeafThatCannotFollow(t *testing.T) {
	centre := europe(t, web(nil))
	s := of(centre, rome(t, reflected("web-milan", toMilanBack)), milan(t, reflected("web-rome", toRomeBack)))
	must(t, s.Request(t.Context(), me))
	if got := annotations(t, centre)[annotation]; got != requested {
		t.Errorf("it is %q", got)
	}
}

func TestARequestIsNotMadeWhileAKnownLeafCannotBeRead(t *testing.T) {
	centre := europe(t, web(nil))
	refusal := &cluster.Error{Problem: trouble.Problem{Leaf: "rome", Summary: "the API server can't be reached"}}
	s := New(centre, "shop", "web", func(context.Context, string) (*cluster.Leaf, error) { return nil, refusal })
	if err := s.Request(t.Context(), me); !errors.Is(err, refusal) {
		t.Errorf("got %v", err)
	}
	if got := annotations(t, centre); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

func TestAWaitThatDoesNotEndSaysWhichPartOfLiqoHasNotFollowed(t *testing.T) {
	r, m := central(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	members, err := of(europe(t, web(nil)), r, m).members(t.Context())
	must(t, err)
	err = members[1].explainLate(ctx, true, []Endpoint{{Pod: "web-milan"}}, context.Canceled)
	clustertest.Has(t, err.Error(), `Check that the virtual kubelet for "rome" runs in "europe"`, "Liqo 1.2 or newer")
	err = members[1].explainLate(ctx, false, []Endpoint{{Pod: "web-milan", Address: toMilan}}, context.Canceled)
	clustertest.Has(t, err.Error(), toMilan, "log of liqo-controller-manager")
}

func TestOthersWhoHaveSetTheAnnotationAreKnownByTheirFieldManagers(t *testing.T) {
	entry := func(manager, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)}}
	}
	const set = `{"f:metadata":{"f:annotations":{"f:liqo.io/use-direct-connections":{}}}}`
	var request Request
	request.service.ManagedFields = []metav1.ManagedFieldsEntry{
		entry(me.manager(), set), entry("kubectl-annotate", set), entry("helm", `{"f:metadata":{"f:labels":{}}}`),
		entry(Owner{Token: "you"}.manager(), set), {Manager: "bare"},
	}
	others := request.Others(me)
	if !slices.Equal(others, []string{"kubectl-annotate", "terraform-provider-liqo/you"}) {
		t.Errorf("got %q", others)
	}
	const expected = `"kubectl-annotate" and another resource of this provider ("terraform-provider-liqo/you")`
	if got := DescribeManagers(others); got != expected {
		t.Errorf("got %s", got)
	}
}
