package peerings

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	offloadingv1beta1 "github.com/liqotech/liqo/apis/offloading/v1beta1"
	discoveryv1 "k8s.io/api/discovery/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	services "github.com/leafmesh/terraform-provider-liqo/internal/direct"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// Rights of examples/rbac/direct-services.yaml in the centre and in a leaf, with what needs each of them.
var (
	toRequest = map[string]func(context.Context, *cluster.Registry) error{
		"watch services":                        watchesService,
		"patch services":                        requestsDirectly,
		"list nodes":                            observesDirectly,
		"list endpointslices.discovery.k8s.io":  observesDirectly,
		"list namespacemaps.offloading.liqo.io": observesDirectly,
	}
	toFollow = map[string]func(context.Context, *cluster.Registry) error{
		"list endpointslices.discovery.k8s.io":          observesDirectly,
		"watch endpointslices.discovery.k8s.io":         waitsFor(&discoveryv1.EndpointSliceList{}),
		"list shadowendpointslices.offloading.liqo.io":  waitsFor(&offloadingv1beta1.ShadowEndpointSliceList{}),
		"watch shadowendpointslices.offloading.liqo.io": waitsFor(&offloadingv1beta1.ShadowEndpointSliceList{}),
		"list namespacemaps.offloading.liqo.io":         showsUses,
	}
)

// needsEveryRight takes each right away from the roles of the example. The error must say which one is missing.
func (s shop) needsEveryRight(t *testing.T) {
	roles := acctest.ObjectsIn(t, acctest.Root+"/examples/rbac/direct-services.yaml")
	administrator := s.ReachedAsAdministrator(t, "europe", "rome", "milan")
	for _, test := range []struct {
		in   string
		role client.Object
		uses map[string]func(context.Context, *cluster.Registry) error
	}{{"europe", roles[0], toRequest}, {"rome", roles[1], toFollow}} {
		all := acctest.RightsIn([]client.Object{test.role})
		if len(all) != len(test.uses) {
			t.Errorf("the role for %s gives %v", test.in, all)
		}
		for _, taken := range all {
			t.Run(fmt.Sprintf("in %s without the right to %s", test.in, taken), func(t *testing.T) {
				t.Parallel()
				use := test.uses[taken.String()]
				if use == nil {
					t.Fatal("nothing needs it")
				}
				leaves := maps.Clone(administrator)
				leaves[test.in] = s.ReachedAs(t, test.in, taken.Account(),
					planning(t, acctest.Without([]client.Object{test.role}, taken)[0]))
				err := use(t.Context(), acctest.RegistryOf(t, leaves))
				if text := explain.Summary(err); !strings.HasPrefix(text, "no permission to "+taken.String()+" on leaf ") {
					t.Errorf("the error is: %v", err)
				}
			})
		}
	}
}

// planning returns the roles to plan, to which another role adds its rules.
func planning(t *testing.T, more client.Object) []client.Object {
	t.Helper()
	roles := acctest.ObjectsIn(t, acctest.Root+"/examples/rbac/plans.yaml")
	for _, role := range roles {
		if cluster, ok := role.(*rbacv1.ClusterRole); ok {
			cluster.Rules = append(cluster.Rules, *acctest.RulesOf(more)...)
		}
	}
	return roles
}

// webOf returns the Service of the shop.
func webOf(ctx context.Context, registry *cluster.Registry) (*services.Service, error) {
	europe, err := registry.Leaf(ctx, "europe")
	return services.New(europe, "shop", "web", registry.Leaf), err
}

func observesDirectly(ctx context.Context, registry *cluster.Registry) error {
	web, err := webOf(ctx, registry)
	if err != nil {
		return err
	}
	state, err := web.Observe(ctx)
	for _, leaf := range state.Leaves {
		if leaf.Err != nil {
			return leaf.Err
		}
	}
	return err
}

func requestsDirectly(ctx context.Context, registry *cluster.Registry) error {
	web, err := webOf(ctx, registry)
	if err != nil {
		return err
	}
	return web.Request(ctx, services.Owner{Token: "rights"})
}

// watchesService ends only with an error, as waitsFor.
func watchesService(ctx context.Context, registry *cluster.Registry) error {
	europe, err := registry.Leaf(ctx, "europe")
	if err != nil {
		return err
	}
	return europe.UntilObject(ctx, acctest.WebService(), func(bool) bool { return false })
}

func showsUses(ctx context.Context, registry *cluster.Registry) error {
	rome, err := registry.Leaf(ctx, "rome")
	if err != nil {
		return err
	}
	_, err = services.Uses(ctx, rome)
	return err
}

// waitsFor ends only with an error. A leaf refuses for 15 seconds before it is given up.
func waitsFor(list client.ObjectList) func(context.Context, *cluster.Registry) error {
	return func(ctx context.Context, registry *cluster.Registry) error {
		rome, err := registry.Leaf(ctx, "rome")
		if err != nil {
			return err
		}
		same := list.DeepCopyObject().(client.ObjectList) //nolint:errcheck,forcetypeassert // a copy has its original's type
		never := func(context.Context) (bool, error) { return false, nil }
		return rome.UntilList(ctx, same, never, client.InNamespace("shop"))
	}
}
