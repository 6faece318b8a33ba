package shortcut

import (
	"context"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// useTemplates replaces Liqo's own templates on a leaf.
func useTemplates(t *testing.T, leaf *cluster.Leaf, templates ...client.Object) {
	t.Helper()
	for _, template := range templates {
		must(t, leaf.Clients().Live.Delete(t.Context(), template))
		must(t, leaf.Clients().Live.Create(t.Context(), template))
	}
}

// ofTheNextLiqo returns two leaves with the next Liqo.
func ofTheNextLiqo(t *testing.T) (rome, milan *cluster.Leaf) {
	t.Helper()
	rome, milan = romeAndMilan(t)
	for _, leaf := range []*cluster.Leaf{rome, milan} {
		useTemplates(t, clustertest.NextLiqo(leaf), clustertest.NextServerTemplate(), clustertest.NextClientTemplate())
	}
	return rome, milan
}

// withMarker is a template of servers with a marker that this provider does not know.
func withMarker(t *testing.T) *networkingv1beta1.WgGatewayServerTemplate {
	t.Helper()
	template := clustertest.NextServerTemplate()
	must(t, unstructured.SetNestedField(template.Spec.Template.Object, "{{ range .Spec.Endpoint.Ports }}{{ end }}",
		"spec", "service", "spec", "+ports"))
	return template
}

func TestNoEndIsChangedIfTheOtherOneCanNotFollow(t *testing.T) {
	changes := map[string]func(*Spec){
		"the MTU":        func(s *Spec) { s.MTU = 1400 },
		"a rotation":     func(s *Spec) { s.KeyRotation = "first" },
		"an annotation":  func(s *Spec) { s.Server.ServiceAnnotations = map[string]string{"speed": "fast"} },
		"a dialled port": func(s *Spec) { s.Client.ServerPort = 31000 },
	}
	obstacles := map[string]struct {
		obstruct func(t *testing.T, rome, milan *cluster.Leaf)
		refuses  string // summary
	}{
		"a marker on the server": {
			func(t *testing.T, _, milan *cluster.Leaf) {
				t.Helper()
				useTemplates(t, clustertest.NextLiqo(milan), withMarker(t))
			},
			`the template can't be rendered on leaf "milan"`,
		},
		"a template of another Liqo on the client": {
			func(t *testing.T, rome, _ *cluster.Leaf) {
				t.Helper()
				useTemplates(t, rome, clustertest.NextClientTemplate())
			},
			`the template can't be rendered on leaf "rome"`,
		},
	}
	for name, change := range changes {
		for obstacle, test := range obstacles {
			t.Run(name+", "+obstacle, func(t *testing.T) {
				rome, milan := romeAndMilan(t)
				s, spec := New(rome, milan).OwnedBy(me), overNodePort
				s.connects(t, spec)
				test.obstruct(t, rome, milan)
				s.connects(t, spec) // what needs no template goes on
				before := versions(t, rome, milan)
				change(&spec)
				err := s.Connect(t.Context(), spec)
				if explain.Summary(err) != test.refuses || !explain.Refused(err) {
					t.Errorf("it is not refused: %v", err)
				}
				if after := versions(t, rome, milan); !maps.Equal(after, before) {
					t.Errorf("something was written: %v is %v now", before, after)
				}
			})
		}
	}
}

// removeBeforeLock lets a leaf remove an object when somebody asks for the lock. It answers slowly.
func removeBeforeLock(leaf *cluster.Leaf, object client.Object) {
	clustertest.On(leaf, "create", func(call clustertest.Call[*coordinationv1.Lease]) error {
		<-time.After(time.Second)
		if err := client.IgnoreNotFound(call.Client.Delete(call.Context, object)); err != nil {
			return err
		}
		return call.Send()
	})
	clustertest.On(leaf, "get", func(call clustertest.Call[any]) error {
		<-time.After(2 * time.Second)
		return call.Send()
	})
}

func TestAGatewayThatAnotherOperationStillRemovesIsNotCompared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rome, milan := romeAndMilan(t)
		s, spec := New(rome, milan).OwnedBy(me), overNodePort
		s.connects(t, spec)
		removeBeforeLock(milan, clustertest.GatewayServer("rome", 51840))
		spec.MTU = 1400
		s.connects(t, spec)
	})
}

// connects fails if the shortcut can't be connected.
func (s *Shortcut) connects(t *testing.T, spec Spec) {
	t.Helper()
	must(t, s.Connect(t.Context(), spec))
}

func TestAMixedPairIsCreatedAndChanged(t *testing.T) {
	for name, next := range map[string]func(rome, milan *cluster.Leaf) []*cluster.Leaf{
		"the next Liqo at both ends": func(rome, milan *cluster.Leaf) []*cluster.Leaf { return []*cluster.Leaf{rome, milan} },
		"at the client":              func(rome, _ *cluster.Leaf) []*cluster.Leaf { return []*cluster.Leaf{rome} },
		"at the server":              func(_, milan *cluster.Leaf) []*cluster.Leaf { return []*cluster.Leaf{milan} },
	} {
		t.Run(name, func(t *testing.T) {
			rome, milan := romeAndMilan(t)
			for _, leaf := range next(rome, milan) {
				useTemplates(t, clustertest.NextLiqo(leaf), clustertest.NextServerTemplate(), clustertest.NextClientTemplate())
			}
			s, spec := New(rome, milan).OwnedBy(me), overNodePort
			for _, mtu := range []int{1340, 1400} {
				spec.MTU = mtu
				s.connects(t, spec)
				state, err := s.Observe(context.WithoutCancel(t.Context()))
				if err != nil || state.ClientGateway.MTU != mtu || state.ServerGateway.MTU != mtu {
					t.Errorf("with an MTU of %d: %+v (%v)", mtu, state, err)
				}
			}
		})
	}
}

// otherTemplate is a template of servers beside Liqo's own.
func otherTemplate() client.Object {
	template := clustertest.ServerTemplate()
	template.Name = "large"
	return template
}
