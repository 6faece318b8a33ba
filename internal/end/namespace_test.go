package end

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

func TestTheTenantNamespaceIsTheOwnersAlthoughTheAnswerToItsCreateWasLost(t *testing.T) {
	rome := romesEnd(t)
	rome.Owner = me
	creates := 0
	clustertest.On(rome.Leaf, "create", func(call clustertest.Call[any]) error {
		err := call.Send()
		if creates++; creates == 1 {
			return &url.Error{Op: "Post", URL: "https://rome", Err: syscall.ECONNRESET}
		}
		return err
	})
	if name, err := rome.ensureTenantNamespace(t.Context()); err != nil || name != "liqo-tenant-milan" || creates != 2 {
		t.Errorf("got %q after %d creates (%v)", name, creates, err)
	}
}

// ensured are the ways to a tenant namespace: after a look, and after a look that came too early to see it.
var ensured = map[string]func(*End, context.Context) (string, error){
	"": (*End).ensureTenantNamespace, ", made meanwhile": (*End).CreateTenantNamespace,
}

func TestOnlyATenantNamespaceOfAnEarlierShortcutIsTakenOver(t *testing.T) {
	for name, test := range map[string]struct {
		namespace *corev1.Namespace
		taken     bool
	}{
		"left": {romesNamespace(owner.Owner{}), true}, "someone else's": {clustertest.TenantNamespace("rome"), false},
	} {
		for way, ensure := range ensured {
			t.Run(name+way, func(t *testing.T) {
				server := milansEnd(t, test.namespace.DeepCopy())
				server.Owner = me
				if namespace, err := ensure(server, t.Context()); err != nil || namespace != "liqo-tenant-rome" {
					t.Errorf("%s (%v)", namespace, err)
				}
				if now := reread(t, server, clustertest.TenantNamespace("rome")); me.Marked(now) != test.taken {
					t.Errorf("it has labels %v and annotations %v", now.Labels, now.Annotations)
				}
			})
		}
	}
}

func TestANamespaceWithTheNameOfTheTenantNamespaceIsAConflict(t *testing.T) {
	for way, ensure := range ensured {
		t.Run("taken"+way, func(t *testing.T) {
			_, err := ensure(milansEnd(t, clustertest.Namespace("liqo-tenant-rome")), t.Context())
			says(t, err, `namespace liqo-tenant-rome is taken on leaf "milan"`)
		})
	}
}

func TestTheNameOfTheTenantNamespaceMustBeFree(t *testing.T) {
	unusual := clustertest.TenantNamespace("rome")
	unusual.Name = "tenants-rome"
	another := clustertest.Namespace("liqo-tenant-rome")
	for name, test := range map[string]struct {
		objects  []client.Object
		headline string // of the problem; empty for none
	}{
		"no namespace yet":         {nil, ""},
		"the tenant namespace":     {[]client.Object{clustertest.TenantNamespace("rome")}, ""},
		"one of an unusual name":   {[]client.Object{unusual, another}, ""},
		"another of the same name": {[]client.Object{another}, `namespace liqo-tenant-rome is taken on leaf "milan"`},
	} {
		t.Run(name, func(t *testing.T) {
			says(t, milansEnd(t, test.objects...).checkNamespace(t.Context(), ""), test.headline)
		})
	}
}

func TestACheckSaysWhichNameIsTooLongForTheIDOfTheOtherCluster(t *testing.T) {
	milan := clustertest.Leaf(t, "milan", clustertest.Namespace("own"))
	for _, test := range []struct {
		length    int
		namespace string
		says      string // part of the evidence; empty if it is possible
	}{
		{51, "", ""}, {52, "", "It has 52 characters. Namespace liqo-tenant-"},
		{60, "own", ""}, {61, "own", "It has 61 characters. Service gw-"}, {61, "", "It has 61 characters. Service gw-"},
	} {
		t.Run(fmt.Sprint(test.length, test.namespace), func(t *testing.T) {
			err := endAt(milan, strings.Repeat("x", test.length)).checkNamespace(t.Context(), test.namespace)
			if (err == nil) != (test.says == "") || !strings.Contains(explain.Detail(err), test.says) {
				t.Error(err)
			}
		})
	}
}

func TestTwoTenantNamespacesForOneClusterAreAmbiguous(t *testing.T) {
	second := clustertest.TenantNamespace("rome")
	second.Name = "tenants-rome"
	milan := milansEnd(t, clustertest.TenantNamespace("rome"), second)
	_, err := milan.TenantNamespace(t.Context())
	says(t, err, `there are several tenant namespaces for cluster "rome" on leaf "milan"`,
		"liqo-tenant-rome", "tenants-rome")
	if ids := explain.Troubles(err); !slices.Equal(ids, []trouble.ID{"tenant-namespace-ambiguous"}) {
		t.Errorf("the problems are %q", ids)
	}
}

func TestAUsersNamespaceCanHaveOneGateway(t *testing.T) {
	own := clustertest.Namespace("own")
	inOwn := func(remote string) client.Object {
		gateway := clustertest.GatewayServer(remote, 51840)
		gateway.Namespace = "own"
		return gateway
	}
	const taken, missing = `namespace own has a gateway for another cluster on leaf "milan"`,
		`namespace own does not exist on leaf "milan"`
	for name, test := range map[string]struct {
		objects  []client.Object
		headline string // of the problem; empty for none
	}{
		"nothing":                        {[]client.Object{own}, ""},
		"this shortcut's":                {[]client.Object{own, inOwn("rome")}, ""},
		"another's":                      {[]client.Object{own, inOwn("turin")}, taken},
		"another's in another":           {[]client.Object{own, clustertest.GatewayServer("turin", 51840)}, ""},
		"nothing, for it does not exist": {nil, missing},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := milansEnd(t, test.objects...).EnsureNamespace(t.Context(), "own")
			says(t, err, test.headline)
		})
	}
}

func TestTheOwnersGatewayForAnotherClusterIsAboutToBeReplaced(t *testing.T) {
	gateway := clustertest.GatewayClient("milan")
	gateway.Namespace = "own"
	owner.Owner{Token: "first"}.Mark(gateway)
	rome := clustertest.Leaf(t, "rome", gateway, clustertest.Namespace("own"))
	for token, refused := range map[string]bool{"first": false, "second": true} {
		t.Run(token, func(t *testing.T) {
			toNaples := endAt(rome, "naples")
			toNaples.Owner.Token = token
			if err := toNaples.checkNamespace(t.Context(), "own"); (err != nil) != refused {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestATenantNamespaceIsDeletedUnlessItIsInUse(t *testing.T) {
	const therefore = " Therefore, Namespace liqo-tenant-rome also stays; delete it when it is no longer needed."
	secret := []client.Object{clustertest.KeySecret("rome", nil)}
	given, elsewhere := liqo.KeySecret{Name: "my-keys"}, liqo.KeySecret{Namespace: "elsewhere", Name: "my-keys"}
	for name, test := range map[string]struct {
		owner      owner.Owner
		objects    []client.Object
		peering    *Peering
		userSecret liqo.KeySecret
		stays      bool
		why        string
	}{
		"mine":           {owner: me},
		"nobody's":       {},
		"someone else's": {owner: somebody, stays: true},
		"with a peering": {me, nil, romesPeering, liqo.KeySecret{}, true,
			`There is still the peering with "rome" (ForeignCluster rome).` + therefore},
		"with a Secret that the gateway was given": {me, secret, nil, given, true,
			"Your Secret liqo-tenant-rome/my-keys stays." + therefore},
		"with a Secret that was given elsewhere": {me, secret, nil, elsewhere, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			milan := milansEnd(t, append(test.objects, romesNamespace(test.owner))...)
			milan.Owner = me
			namespace, err := milan.TenantNamespace(t.Context())
			must(t, err)
			namespace, err = milan.BeginRemovingNamespace(t.Context(), namespace, test.peering, test.userSecret)
			must(t, err)
			leftovers, err := milan.RemoveNamespace(t.Context(), namespace, test.peering, true, test.userSecret)
			if err != nil || leftovers.Kept != test.why {
				t.Errorf("it says %q (%v)", leftovers.Kept, err)
			}
			left, err := milan.TenantNamespace(t.Context())
			if err != nil || (left != nil) != test.stays || (left != nil && me.Marked(left)) {
				t.Errorf("left is %v (%v)", left, err)
			}
		})
	}
}

func TestATenantNamespaceThatHasChangedIsJudgedAgain(t *testing.T) {
	for name, test := range map[string]struct {
		change func(client.Object)
		stays  bool
	}{
		"someone else has taken it": {somebody.Mark, true},
		"it has another label":      {func(object client.Object) { cluster.SetLabel(object, "team", "net") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, begun := range []bool{true, false} {
				milan := milansEnd(t, romesNamespace(me))
				milan.Owner = me
				namespace, err := milan.TenantNamespace(t.Context())
				must(t, err)
				must(t, milan.Leaf.Edit(t.Context(), namespace, test.change))
				if begun {
					namespace, err = milan.BeginRemovingNamespace(t.Context(), namespace, nil, liqo.KeySecret{})
					must(t, err)
				}
				leftovers, err := milan.RemoveNamespace(t.Context(), namespace, nil, true, liqo.KeySecret{})
				must(t, err)
				must(t, milan.UntilGone(t.Context(), leftovers))
				if left, err := milan.TenantNamespace(t.Context()); err != nil || (left != nil) != test.stays {
					t.Errorf("begun: %t: left is %v (%v)", begun, left, err)
				}
			}
		})
	}
}

func TestATenantNamespaceStaysAsLongAsTheForeignCluster(t *testing.T) {
	milan := milansEnd(t, romesNamespace(me))
	milan.Owner = me
	namespace, err := milan.TenantNamespace(t.Context())
	must(t, err)
	leftovers, err := milan.RemoveNamespace(t.Context(), namespace, nil, false, liqo.KeySecret{})
	if err != nil || leftovers != (Leftovers{}) {
		t.Errorf("it says %+v (%v)", leftovers, err)
	}
	if left, err := milan.TenantNamespace(t.Context()); err != nil || left == nil {
		t.Errorf("it is gone (%v)", err)
	}
}

func TestObjectsAreInTheTenantNamespaceByDefault(t *testing.T) {
	unusual := clustertest.TenantNamespace("rome")
	unusual.Name = "tenants-rome"
	milan := milansEnd(t, unusual)
	for name, expected := range map[string]bool{"liqo-tenant-rome": true, "tenants-rome": true, "own": false} {
		t.Run(name, func(t *testing.T) {
			if got, err := milan.IsTenantNamespace(t.Context(), name); err != nil || got != expected {
				t.Errorf("%t (%v)", got, err)
			}
		})
	}
}
