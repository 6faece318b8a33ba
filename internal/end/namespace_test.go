package end

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"syscall"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

func TestTheTenantNamespaceIsCreatedOnceAndMarked(t *testing.T) {
	rome := romesEnd(t)
	name, err := rome.ensureTenantNamespace(t.Context())
	if err != nil || name != "liqo-tenant-milan" {
		t.Fatalf("got %q (%v)", name, err)
	}
	namespace, err := rome.TenantNamespace(t.Context())
	if err != nil || namespace == nil || !owner.Managed(namespace) {
		t.Errorf("the namespace is not there, or not marked (%v)", err)
	}
}

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
	tenant := func() *corev1.Namespace { return tenantnamespace.NewManager(nil, nil).ForgeNamespace("rome", nil) }
	left := tenant()
	owner.Owner{}.Mark(left)
	for name, test := range map[string]struct {
		namespace *corev1.Namespace
		taken     bool
	}{"left": {left, true}, "someone else's": {tenant(), false}} {
		t.Run(name, func(t *testing.T) {
			for way, ensure := range ensured {
				server := milansEnd(t, test.namespace.DeepCopy())
				server.Owner = me
				if namespace, err := ensure(server, t.Context()); err != nil || namespace != "liqo-tenant-rome" {
					t.Errorf("%s%s: %s (%v)", name, way, namespace, err)
				}
				if found, err := server.TenantNamespace(t.Context()); err != nil || me.Marked(found) != test.taken {
					t.Errorf("%s%s: it has labels %v and annotations %v (%v)", name, way, found.Labels, found.Annotations, err)
				}
			}
		})
	}
}

func TestANamespaceWithTheNameOfTheTenantNamespaceIsAConflict(t *testing.T) {
	for way, ensure := range ensured {
		server := milansEnd(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "liqo-tenant-rome"}})
		_, err := ensure(server, t.Context())
		if explain.Summary(err) != `namespace liqo-tenant-rome is taken on leaf "milan"` {
			t.Errorf("taken%s: got %v", way, err)
		}
	}
}

func TestTheNameOfTheTenantNamespaceMustBeFree(t *testing.T) {
	unusual := clustertest.TenantNamespace("rome")
	unusual.Name = "tenants-rome"
	for name, test := range map[string]struct {
		objects []client.Object
		summary string // of the problem; empty for none
	}{
		"no namespace yet":       {nil, ""},
		"the tenant namespace":   {[]client.Object{clustertest.TenantNamespace("rome")}, ""},
		"one of an unusual name": {[]client.Object{unusual, clustertest.Namespace("liqo-tenant-rome")}, ""},
		"another of the same name": {[]client.Object{clustertest.Namespace("liqo-tenant-rome")},
			`namespace liqo-tenant-rome is taken on leaf "milan"`},
	} {
		t.Run(name, func(t *testing.T) {
			err := milansEnd(t, test.objects...).checkNamespace(t.Context(), "")
			if (err == nil) != (test.summary == "") || (err != nil && explain.Summary(err) != test.summary) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestACheckSaysWhichNameIsTooLongForTheIDOfTheOtherCluster(t *testing.T) {
	milan := clustertest.Leaf(t, "milan", clustertest.Namespace("own"))
	for _, test := range []struct {
		length int
		own    bool   // namespace
		says   string // part of the evidence; empty if it is possible
	}{
		{51, false, ""},
		{52, false, "It has 52 characters. Namespace liqo-tenant-"},
		{60, true, ""},
		{61, true, "It has 61 characters. Service gw-"},
		{61, false, "It has 61 characters. Service gw-"},
	} {
		id, namespace := strings.Repeat("x", test.length), ""
		if test.own {
			namespace = "own"
		}
		err := New(milan, Remote{Name: "rome", ID: liqov1beta1.ClusterID(id)}).checkNamespace(t.Context(), namespace)
		if test.says == "" && err != nil || test.says != "" && !strings.Contains(explain.Detail(err), test.says) {
			t.Errorf("%d, a namespace of one's own: %t: %v", test.length, test.own, explain.Detail(err))
		}
	}
}

func TestTwoTenantNamespacesForOneClusterAreAmbiguous(t *testing.T) {
	second := clustertest.TenantNamespace("rome")
	second.Name = "tenants-rome"
	milan := milansEnd(t, clustertest.TenantNamespace("rome"), second)
	_, err := milan.TenantNamespace(t.Context())
	says(t, err, `there are several tenant namespaces for cluster "rome" on leaf "milan"`)
	problem, ok := errors.AsType[*trouble.Problem](err)
	if !ok || problem.ID != "tenant-namespace-ambiguous" {
		t.Fatalf("it is no such problem: %v", err)
	}
	for _, name := range []string{"liqo-tenant-rome", "tenants-rome"} {
		if !strings.Contains(problem.Detail(), name) {
			t.Errorf("the detail does not name %s: %s", name, problem.Detail())
		}
	}
}

func TestAUsersNamespaceCanHaveOneGateway(t *testing.T) {
	own := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "own"}}
	inOwn := func(remote string) client.Object {
		gateway := clustertest.GatewayServer(remote, 51840)
		gateway.Namespace = "own"
		return gateway
	}
	for name, test := range map[string]struct {
		objects []client.Object
		summary string // of the problem; empty for none
	}{
		"nothing":         {[]client.Object{own}, ""},
		"this shortcut's": {[]client.Object{own, inOwn("rome")}, ""},
		"another's": {[]client.Object{own, inOwn("turin")},
			`namespace own has a gateway for another cluster on leaf "milan"`},
		"another's in another":           {[]client.Object{own, clustertest.GatewayServer("turin", 51840)}, ""},
		"nothing, for it does not exist": {nil, `namespace own does not exist on leaf "milan"`},
	} {
		t.Run(name, func(t *testing.T) {
			server := milansEnd(t, test.objects...)
			_, err := server.EnsureNamespace(t.Context(), "own")
			if (err == nil) != (test.summary == "") || (err != nil && explain.Summary(err) != test.summary) {
				t.Errorf("got %v", err)
			}
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
			wireGuard := endAt(rome, "naples")
			wireGuard.Owner.Token = token
			err := wireGuard.checkNamespace(t.Context(), "own")
			if (err != nil) != refused {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestATenantNamespaceIsDeletedUnlessItIsInUse(t *testing.T) {
	own := clustertest.KeySecret("rome", nil)
	for name, test := range map[string]struct {
		owner      owner.Owner
		objects    []client.Object
		peering    *Peering
		userSecret liqo.KeySecret
		stays      bool
		why        string
	}{
		"mine":           {me, nil, nil, liqo.KeySecret{}, false, ""},
		"nobody's":       {owner.Owner{}, nil, nil, liqo.KeySecret{}, false, ""},
		"someone else's": {somebody, nil, nil, liqo.KeySecret{}, true, ""},
		"with a peering": {me, nil, romesPeering, liqo.KeySecret{}, true,
			`There is still the peering with "rome" (ForeignCluster rome). ` +
				"Therefore, Namespace liqo-tenant-rome also stays; " +
				"delete it when it is no longer needed."},
		"with a Secret that the gateway was given": {
			me, []client.Object{own}, nil, liqo.KeySecret{Name: own.Name}, true,
			"Your Secret liqo-tenant-rome/my-keys stays. Therefore, Namespace liqo-tenant-rome also stays; " +
				"delete it when it is no longer needed.",
		},
		"with a Secret that was given elsewhere": {me, []client.Object{own}, nil,
			liqo.KeySecret{Namespace: "elsewhere", Name: own.Name}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			milan := milansEnd(t, append(test.objects, romesNamespace(test.owner))...)
			milan.Owner = me
			namespace, err := milan.TenantNamespace(t.Context())
			if err != nil || namespace == nil {
				t.Fatalf("%v (%v)", namespace, err)
			}
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
