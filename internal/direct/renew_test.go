package direct

import (
	"errors"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// alsoSetBy lets a centre show that field managers have set the annotation. It records who patches the Service.
func alsoSetBy(centre *cluster.Leaf, patched *[]string, setters ...setter) {
	clustertest.On(centre, "get", func(call clustertest.Call[*corev1.Service]) error {
		err := call.Send()
		for _, one := range setters {
			entry := metav1.ManagedFieldsEntry{
				Manager: one.manager, Operation: metav1.ManagedFieldsOperationUpdate,
				FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:metadata":{"f:annotations":{"f:` + annotation + `":{}}}}`)},
			}
			if one.applies {
				entry.Operation = metav1.ManagedFieldsOperationApply
			}
			call.Object.ManagedFields = append(call.Object.ManagedFields, entry)
		}
		return err
	})
	clustertest.On(centre, "patch", func(call clustertest.Call[any]) error {
		*patched = append(*patched, call.FieldManager)
		return call.Send()
	})
}

func TestAnOutdatedRequestIsRenewedWhoeverElseHasMadeIt(t *testing.T) {
	claims := Owner{Token: me.Token, Claims: true}
	for name, test := range map[string]struct {
		owner    Owner
		others   []setter
		restored []string
	}{
		"nobody":                            {me, nil, nil},
		"kubectl annotate":                  {me, []setter{{"kubectl-annotate", false}}, []string{"kubectl-annotate"}},
		"kubectl annotate, and it is ours":  {claims, []setter{{"kubectl-annotate", false}}, nil},
		"another resource of this provider": {me, []setter{{managerPrefix + "you", true}}, nil},
		"GitOps, and it is ours":            {claims, []setter{{"argocd-controller", true}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var patched []string
			s, centre := followed(t, web(asked)) // only a change of the Service makes the stand-in look again
			alsoSetBy(centre, &patched, test.others...)
			must(t, s.Request(t.Context(), test.owner))
			if got := paths(t, s); got != "Direct, Direct" || !slices.Equal(patched, test.restored) {
				t.Errorf("the pods are reached %s, and the request was restored for %q", got, patched)
			}
		})
	}
}

func TestAnOutdatedRequestThatCannotBeRenewedSaysAtOnceWhoHoldsIt(t *testing.T) {
	var patched []string
	centre := europe(t, web(asked))
	alsoSetBy(centre, &patched, setter{"argocd-controller", true})
	r, m := central(t)
	err := of(centre, r, m).Request(t.Context(), me)
	if err == nil || !strings.Contains(err.Error(), `"argocd-controller" applies the annotation, too`) {
		t.Fatalf("got %v", err)
	}
	if got := annotations(t, centre); got[annotation] != requested || len(patched) > 0 {
		t.Errorf("the annotations are %v", got)
	}
}

func TestALeafThatCannotBeReadMakesNoStatusBetter(t *testing.T) {
	unread := State{
		Request: Request{Exists: true, Set: true}, Leaves: []LeafState{{Name: "rome", Err: errors.New("away")}},
	}
	for before, expected := range map[Status]Status{
		"": Partial, Followed: Partial, Partial: Partial, Outdated: Outdated, Undone: Partial,
	} {
		if got := unread.StatusAfter(before); got != expected {
			t.Errorf("after %q it is %s", before, got)
		}
	}
	unread.Leaves[0].Err = nil
	if got := unread.StatusAfter(Outdated); got != Followed {
		t.Errorf("when all leaves can be read, it is %s", got)
	}
}

func TestARequestIsNotRenewedWhereLiqoLooksByItself(t *testing.T) {
	centre := europe(t, web(asked))
	r, m := central(t)
	following(t, centre, r, m) // and so Liqo looks when the Service is written, whatever is written
	written := values(centre)
	s := of(centre, clustertest.NextLiqo(r), clustertest.NextLiqo(m))
	must(t, s.Request(t.Context(), me))
	if got := paths(t, s); got != "Direct, Direct" || slices.Contains(*written, refused) {
		t.Errorf("the pods are reached %s, and the values of the annotation were %q", got, *written)
	}
}

// values records the values of the annotation after each write.
func values(centre *cluster.Leaf) *[]string {
	var all []string
	clustertest.On(centre, "apply patch", func(call clustertest.Call[any]) error {
		var service corev1.Service
		err := call.Send()
		if err == nil {
			err = call.Client.Get(call.Context, client.ObjectKey{Namespace: "shop", Name: "web"}, &service)
		}
		all = append(all, service.Annotations[annotation])
		return err
	})
	return &all
}
