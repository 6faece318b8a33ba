package peerings

import (
	"cmp"
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

// Each right is taken away from a role, and somebody does what needs it. The error must say which one is missing.
func TestAccNothingInTheExamplesOfRolesForDirectServicesIsSuperfluous(t *testing.T) {
	l := acctest.Borrow(t, peered)
	openShop(t, l, "rome", "milan")
	type do func(ctx context.Context, web *services.Service, europe, rome *cluster.Leaf) error
	observes := func(ctx context.Context, web *services.Service, _, _ *cluster.Leaf) error {
		state, err := web.Observe(ctx)
		for _, leaf := range state.Leaves {
			err = cmp.Or(leaf.Err, err)
		}
		return err
	}
	requests := func(ctx context.Context, web *services.Service, _, _ *cluster.Leaf) error {
		return web.Request(ctx, services.Owner{Token: "rights"})
	}
	// The waits end only with an error. A leaf refuses for 15 seconds before it is given up.
	awaitsService := func(ctx context.Context, _ *services.Service, europe, _ *cluster.Leaf) error {
		return europe.UntilObject(ctx, acctest.WebService(), func(bool) bool { return false })
	}
	awaits := func(list func() client.ObjectList) do {
		return func(ctx context.Context, _ *services.Service, _, rome *cluster.Leaf) error {
			never := func(context.Context) (bool, error) { return false, nil }
			return rome.UntilList(ctx, list(), never, client.InNamespace("shop"))
		}
	}
	awaitsSlices := awaits(func() client.ObjectList { return &discoveryv1.EndpointSliceList{} })
	awaitsShadows := awaits(func() client.ObjectList { return &offloadingv1beta1.ShadowEndpointSliceList{} })
	showsUses := func(ctx context.Context, _ *services.Service, _, rome *cluster.Leaf) error {
		_, err := services.Uses(ctx, rome)
		return err
	}
	showsPairs := func(ctx context.Context, _ *services.Service, europe, _ *cluster.Leaf) error {
		_, err := services.Placements(ctx, europe)
		return err
	}
	roles := acctest.RolesIn(t, "direct-services", "pairs")
	administrator := l.ReachedAsAdministrator(t, "europe", "rome", "milan")
	for _, test := range []struct {
		in   string
		role client.Object
		uses map[string]do
	}{
		{"europe", roles[0], map[string]do{
			"watch services":                        awaitsService,
			"patch services":                        requests,
			"list nodes":                            observes,
			"list endpointslices.discovery.k8s.io":  observes,
			"list namespacemaps.offloading.liqo.io": observes,
		}},
		{"rome", roles[1], map[string]do{
			"list endpointslices.discovery.k8s.io":          observes,
			"watch endpointslices.discovery.k8s.io":         awaitsSlices,
			"list shadowendpointslices.offloading.liqo.io":  awaitsShadows,
			"watch shadowendpointslices.offloading.liqo.io": awaitsShadows,
			"list namespacemaps.offloading.liqo.io":         showsUses,
		}},
		{"europe", roles[2], map[string]do{"list nodes": showsPairs}},
	} {
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
				plans := acctest.RolesIn(t, "plans") // what is needed in addition
				for _, role := range plans {
					if role, ok := role.(*rbacv1.ClusterRole); ok {
						role.Rules = append(role.Rules, *acctest.RulesOf(acctest.Without([]client.Object{test.role}, taken)[0])...)
					}
				}
				leaves := maps.Clone(administrator)
				leaves[test.in] = l.ReachedAs(t, test.in, test.role.GetName()+"-"+taken.Account(), plans)
				registry := acctest.RegistryOf(t, leaves)
				europe, atEurope := registry.Leaf(t.Context(), "europe")
				rome, atRome := registry.Leaf(t.Context(), "rome")
				err := cmp.Or(atEurope, atRome)
				if err == nil {
					err = use(t.Context(), services.New(europe, "shop", "web", registry.Leaf), europe, rome)
				}
				if text := explain.Summary(err); !strings.HasPrefix(text, "no permission to "+taken.String()+" on leaf ") {
					t.Errorf("the error is: %v", err)
				}
			})
		}
	}
}
