package shortcut

import (
	"context"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
)

// useTemplates replaces Liqo's own templates on a leaf.
func useTemplates(t *testing.T, leaf *cluster.Leaf, templates ...client.Object) {
	t.Helper()
	for _, template := range templates {
		must(t, leaf.Clients().Live.Delete(t.Context(), template))
		must(t, leaf.Clients().Live.Create(t.Context(), template))
	}
}

// useNextLiqo makes Liqo on a leaf the next version.
func useNextLiqo(t *testing.T, leaf *cluster.Leaf) {
	t.Helper()
	useTemplates(t, clustertest.NextLiqo(leaf), clustertest.NextServerTemplate(), clustertest.NextClientTemplate())
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
	obstacles := map[string]func(*Shortcut) (*cluster.Leaf, client.Object){
		"a marker on the server": func(s *Shortcut) (*cluster.Leaf, client.Object) {
			return clustertest.NextLiqo(s.Server.Leaf), withMarker(t)
		},
		"a template of another Liqo on the client": func(s *Shortcut) (*cluster.Leaf, client.Object) {
			return s.Client.Leaf, clustertest.NextClientTemplate()
		},
	}
	for name, change := range changes {
		for obstacle, obstruct := range obstacles {
			t.Run(name+", "+obstacle, func(t *testing.T) {
				s, spec := toConnect(t)
				s.connects(t, spec)
				leaf, template := obstruct(s)
				useTemplates(t, leaf, template)
				s.connects(t, spec) // what needs no template goes on
				before := versions(t, s.Client.Leaf, s.Server.Leaf)
				change(&spec)
				err := s.Connect(t.Context(), spec)
				refused(t, err, `the template can't be rendered on leaf "`+leaf.Name+`"`)
				if !explain.Refused(err) {
					t.Errorf("it is not refused: %v", err)
				}
				if after := versions(t, s.Client.Leaf, s.Server.Leaf); !maps.Equal(after, before) {
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
		s, spec := toConnect(t)
		s.connects(t, spec)
		removeBeforeLock(s.Server.Leaf, clustertest.GatewayServer("rome", 51840))
		spec.MTU = 1400
		s.connects(t, spec)
	})
}

func TestAMixedPairIsCreatedAndChanged(t *testing.T) {
	for name, next := range map[string][]string{
		"the next Liqo at both ends": {"rome", "milan"}, "at the client": {"rome"}, "at the server": {"milan"},
	} {
		t.Run(name, func(t *testing.T) {
			s, spec := toConnect(t)
			for _, e := range s.Ends() {
				if slices.Contains(next, e.Leaf.Name) {
					useNextLiqo(t, e.Leaf)
				}
			}
			for _, mtu := range []int{1340, 1400} {
				spec.MTU = mtu
				s.connects(t, spec)
				if state := s.seen(t); state.ClientGateway.MTU != mtu || state.ServerGateway.MTU != mtu {
					t.Errorf("with an MTU of %d: %+v", mtu, state)
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

// useAnotherTechnology lets the gateway of an end say that Liqo has made it of another technology.
func useAnotherTechnology(t *testing.T, e *end.End) {
	t.Helper()
	objects, err := e.Find(t.Context())
	must(t, err)
	made := &corev1.ObjectReference{APIVersion: "networking.liqo.io/v1beta1", Kind: "IPsecGateway", Name: "ipsec"}
	switch gateway := objects.Gateway.Object.(type) {
	case *networkingv1beta1.GatewayServer:
		gateway.Status.ServerRef = made
	case *networkingv1beta1.GatewayClient:
		gateway.Status.ClientRef = made
	}
	must(t, e.Leaf.Clients().Live.Status().Update(t.Context(), objects.Gateway.Object))
}

func TestAGatewayOfAnotherTechnologyIsNotChangedInPlace(t *testing.T) {
	for name, test := range map[string]struct {
		at      string // the leaf with the gateway
		change  func(*Spec)
		refused bool
	}{
		"another MTU":            {"milan", func(s *Spec) { s.MTU = 1400 }, true},
		"another MTU and rules":  {"milan", func(s *Spec) { s.MTU, s.Allow = 1400, &Allow{} }, true},
		"another MTU, in Rome":   {"rome", func(s *Spec) { s.MTU = 1400 }, true},
		"new keys":               {"milan", func(s *Spec) { s.KeyRotation = "first" }, true},
		"what the client dials":  {"rome", func(s *Spec) { s.Server.Port = 51900 }, true},
		"another client":         {"milan", func(s *Spec) { s.Client.ServerPort = 31000 }, false},
		"another template":       {"milan", func(s *Spec) { s.Server.Template.Name = "large" }, false},
		"another namespace":      {"milan", func(s *Spec) { s.ServerEnd.Namespace = "own" }, false},
		"rules":                  {"milan", func(s *Spec) { s.Allow = &Allow{} }, false},
		"nothing of the gateway": {"milan", func(s *Spec) { s.ForbidRemapping = true }, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rome := liqotest.Leaf(t, "rome", ranges("10.0.0.0/16")...)
				milan := liqotest.Leaf(t, "milan", append(ranges("10.1.0.0/16"), otherTemplate(), clustertest.Namespace("own"))...)
				s, spec := New(rome, milan).OwnedBy(me), overNodePort
				s.connects(t, spec)
				useAnotherTechnology(t, map[string]*end.End{"rome": s.Client, "milan": s.Server}[test.at])
				s.connects(t, spec) // what changes no gateway goes on
				before := versions(t, rome, milan)
				test.change(&spec)
				patient, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				err := s.Connect(patient, spec)
				if !test.refused {
					must(t, err)
					return
				}
				refused(t, err, `changes are not supported for the technology of this gateway on leaf "`+test.at+`"`,
					"terraform taint")
				if !explain.Refused(err) {
					t.Errorf("it is not refused: %v", err)
				}
				if after := versions(t, rome, milan); !maps.Equal(after, before) {
					t.Errorf("something was written: %v is %v now", before, after)
				}
			})
		})
	}
}
