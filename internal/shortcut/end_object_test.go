package shortcut

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	authv1beta1 "github.com/liqotech/liqo/apis/authentication/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/liqotest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// romesNetworks are what Rome announces to Milan.
var romesNetworks = liqo.Ranges{PodCIDRs: []string{"10.1.0.0/16"}, ExternalCIDR: "10.70.0.0/16"}

// key is a public key.
func key(first byte) []byte { return append([]byte{first}, make([]byte, 31)...) }

// endObjectOf is the object of a resource of this type on a leaf. Its token is unlike that of any other resource.
func endObjectOf(leaf *cluster.Leaf, remote string, resource owner.Resource) EndObject {
	return NewEndObject(leaf, remote, owner.Owner{
		Token: leaf.Name + string(resource), Resource: resource, Origin: owner.Origin{CreatedBy: "bob@ci", Directory: "here"},
	})
}

// step is what a resource for one end does.
type step struct {
	object EndObject
	ensure func(context.Context) error
}

// milansSteps returns the resources of Milan's end of a network with Rome, which dials.
func milansSteps(milan *cluster.Leaf) []step {
	gateway := endObjectOf(milan, "rome", owner.GatewayServerResource)
	return stepsOf(gateway, overNodePort.Server, liqo.Endpoint{}, romesNetworks, key(1))
}

// romesSteps returns the resources of the other end.
func romesSteps(rome *cluster.Leaf, dialled liqo.Endpoint) []step {
	milans := liqo.Ranges{PodCIDRs: []string{"10.2.0.0/16"}, ExternalCIDR: "10.70.0.0/16"}
	gateway := endObjectOf(rome, "milan", owner.GatewayClientResource)
	return stepsOf(gateway, overNodePort.Client, dialled, milans, key(2))
}

// stepsOf returns the resources of the end with this gateway: its Configuration, the gateway and its PublicKey.
func stepsOf(
	gateway EndObject, settings liqo.GatewaySettings, dialled liqo.Endpoint, ranges liqo.Ranges, key []byte,
) []step {
	leaf, remote := gateway.End.Leaf, string(gateway.End.Remote.ID)
	configuration := endObjectOf(leaf, remote, owner.ConfigurationResource)
	publicKey := endObjectOf(leaf, remote, owner.PublicKeyResource)
	return []step{
		{configuration, func(ctx context.Context) error { return configuration.EnsureConfiguration(ctx, "", ranges) }},
		{gateway, func(ctx context.Context) error { return gateway.EnsureGateway(ctx, "", nil, dialled, settings) }},
		{publicKey, func(ctx context.Context) error { return publicKey.EnsurePublicKey(ctx, "", key) }},
	}
}

func ensureAll(t *testing.T, steps []step) {
	t.Helper()
	for _, one := range steps {
		must(t, one.ensure(t.Context()))
	}
}

// tenantNamespaces returns the names of the tenant namespaces on a leaf.
func tenantNamespaces(t *testing.T, leaf *cluster.Leaf) []string {
	t.Helper()
	var namespaces corev1.NamespaceList
	must(t, leaf.Clients().Live.List(t.Context(), &namespaces))
	var names []string
	for i := range namespaces.Items {
		names = append(names, namespaces.Items[i].Name)
	}
	return names
}

// noNamespaces fails if a tenant namespace is left on a leaf.
func noNamespaces(t *testing.T, leaves ...*cluster.Leaf) {
	t.Helper()
	for _, leaf := range leaves {
		if names := tenantNamespaces(t, leaf); len(names) > 0 {
			t.Errorf("%q are left on %s", names, leaf.Name)
		}
	}
}

func romeAlone(t *testing.T) *cluster.Leaf {
	t.Helper()
	return liqotest.Leaf(t, "rome", ranges("10.1.0.0/16")...)
}

func milanAlone(t *testing.T) *cluster.Leaf {
	t.Helper()
	return liqotest.Leaf(t, "milan", ranges("10.2.0.0/16")...)
}

func TestTheObjectsOfAnEndMayComeAndGoInAnyOrderAndTheLastOneRemovesTheNamespace(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		milan := milanAlone(t)
		all := milansSteps(milan)
		for _, i := range order {
			ensureAll(t, all[i:i+1])
		}
		for n, i := range order {
			if names := tenantNamespaces(t, milan); !slices.Equal(names, []string{"liqo-tenant-rome"}) {
				t.Fatalf("with %d removed there are %q", n, names)
			}
			if kept, err := all[i].object.Remove(t.Context(), liqo.KeySecret{}); kept != "" || err != nil {
				t.Fatalf("%q (%v)", kept, err)
			}
			for _, j := range order[n+1:] {
				if !all[j].object.seen(t).Exists {
					t.Errorf("the removal of %s has removed %s", all[i].object.End.Owner.Resource, all[j].object.End.Owner.Resource)
				}
			}
		}
		noNamespaces(t, milan)
	}
}

func TestAShortcutOverAnEndObjectIsRefusedAndTheErrorNamesTheEndObject(t *testing.T) {
	for i, object := range []string{"liqo_configuration", "liqo_gateway_server", "liqo_public_key"} {
		t.Run(object, func(t *testing.T) {
			rome, milan := romeAlone(t), milanAlone(t)
			ensureAll(t, milansSteps(milan)[i:i+1])
			err := New(rome, milan).OwnedBy(me).Connect(t.Context(), overNodePort)
			refused(t, err, "a "+object+` for "rome" exists already on leaf "milan"`,
				"A "+object+" owns ", "made by bob@ci", "one liqo_shortcut")
			noNamespaces(t, rome)
		})
	}
}

func TestAnEndObjectOverAShortcutIsRefusedAndTheErrorNamesTheShortcut(t *testing.T) {
	rome, milan := romeAlone(t), milanAlone(t)
	shortcut := New(rome, milan).OwnedBy(somebody)
	shortcut.connects(t, overNodePort)
	before := shortcut.seen(t)
	for _, one := range append(milansSteps(milan), romesSteps(rome, *before.ServerEndpoint)...) {
		e := one.object.End
		refused(t, one.ensure(t.Context()),
			`a liqo_shortcut for cluster "`+string(e.Remote.ID)+`" exists already on leaf "`+e.Leaf.Name+`"`,
			"made by alice@ci", string(e.Owner.Resource)+" can't manage it")
	}
	if after := shortcut.seen(t); after.Status != before.Status || !after.Exists {
		t.Errorf("the shortcut is %+v", after)
	}
}

func TestAnEndObjectOverAnotherOneOfItsKindIsRefused(t *testing.T) {
	milan := milanAlone(t)
	ensureAll(t, milansSteps(milan))
	other := owner.Owner{Token: "other", Resource: owner.GatewayClientResource}
	err := NewEndObject(milan, "rome", other).EnsureGateway(t.Context(), "", nil,
		liqo.Endpoint{Addresses: []string{"192.0.2.1"}, Port: 1, Protocol: "UDP"}, overNodePort.Client)
	refused(t, err, `a liqo_gateway_server for cluster "rome" exists already on leaf "milan"`, "made by bob@ci")
	other.Resource = owner.PublicKeyResource
	err = NewEndObject(milan, "rome", other).EnsurePublicKey(t.Context(), "", key(3))
	refused(t, err, `a liqo_public_key for cluster "rome" exists already on leaf "milan"`, "made by bob@ci")
}

func TestAnEndObjectUnderANewAddressWaitsForTheDestroyOfTheOldOne(t *testing.T) {
	milan := milanAlone(t)
	before := endObjectOf(milan, "rome", owner.PublicKeyResource)
	must(t, before.EnsurePublicKey(t.Context(), "", key(1)))
	after := endObjectOf(milan, "rome", owner.PublicKeyResource)
	after.End.Owner.Token = "after"
	ensured := make(chan error, 1)
	go func() { ensured <- after.EnsurePublicKey(t.Context(), "", key(2)) }()
	must(t, errorOf(before.Remove(t.Context(), liqo.KeySecret{})))
	must(t, <-ensured)
	if state := after.seen(t); !state.Exists || !slices.Equal(state.Key, key(2)) {
		t.Errorf("it is %+v", state)
	}
}

func TestAnObjectOfSomeoneElseIsNotTakenOverButCanBeImported(t *testing.T) {
	milan := liqotest.Leaf(t, "milan", append(ranges("10.2.0.0/16"), clustertest.Configuration("rome"))...)
	object := endObjectOf(milan, "rome", owner.ConfigurationResource)
	refused(t, object.EnsureConfiguration(t.Context(), "", romesNetworks),
		`a network with cluster "rome" exists already on leaf "milan"`,
		"This provider did not make Configuration liqo-tenant-rome/rome; liqoctl or another program did. To manage it here, "+
			"forget this resource with `terraform state rm`, then import it")
	if object.seen(t).Exists {
		t.Error("it belongs to the resource")
	}
	object.End.Owner.Claims = true // as after an import
	if !object.seen(t).Exists {
		t.Error("the imported object does not belong to the resource")
	}
	must(t, object.EnsureConfiguration(t.Context(), "", romesNetworks))
	object.End.Owner.Claims = false
	if state := object.seen(t); !state.Exists || !slices.Equal(state.Network.PodCIDRs, romesNetworks.PodCIDRs) {
		t.Errorf("the object is %+v", state)
	}
}

func TestWhatAKilledCreateOfAnEndObjectHasLeftIsTakenOver(t *testing.T) {
	killed := owner.Owner{Token: "killed", Resource: owner.ConfigurationResource}
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{
		Namespace: "liqo", Name: "terraform-provider-liqo.milan.rome.configuration",
	}}
	owner.Unfinished{killed.Token: {}}.Mark(lease)
	milan := liqotest.Leaf(t, "milan",
		append(ranges("10.2.0.0/16"), marked(killed, clustertest.Configuration("rome")), lease)...)
	object := endObjectOf(milan, "rome", owner.ConfigurationResource)
	object.Create = true
	must(t, object.EnsureConfiguration(t.Context(), "", romesNetworks))
	if !object.seen(t).Exists {
		t.Error("it has another owner")
	}
	if left, err := milan.Leased(t.Context(), lease.Name); left != nil || err != nil {
		t.Errorf("left is %v (%v)", left, err)
	}
	// A shortcut does not take it: that create may still be under way.
	err := New(leafWith(t, "rome"), leafWith(t, "milan", marked(killed, clustertest.Configuration("rome")))).OwnedBy(me).
		Connect(t.Context(), overNodePort)
	refused(t, err, `a liqo_configuration for "rome" exists already on leaf "milan"`)
}

func TestAShortcutBecomesEndObjectsByImportAndTheirRemovalLeavesNothing(t *testing.T) {
	rome, milan := romeAlone(t), milanAlone(t)
	s := New(rome, milan).OwnedBy(somebody)
	s.connects(t, overNodePort)
	var objects []EndObject
	for _, one := range append(milansSteps(milan), romesSteps(rome, *s.seen(t).ServerEndpoint)...) {
		self, err := one.object.ImportedFrom(t.Context())
		if err != nil || self.Token != somebody.Token || !self.Shortcut || self.Origin != somebody.Origin {
			t.Fatalf("%s is imported from %+v (%v)", one.object.End.Owner.Resource, self, err)
		}
		one.object.End.Owner.Token = self.Token
		if !one.object.seen(t).Exists {
			t.Errorf("%s does not have its object", one.object.End.Owner.Resource)
		}
		objects = append(objects, one.object)
	}
	for _, object := range objects {
		if kept, err := object.Remove(t.Context(), liqo.KeySecret{}); err != nil || kept != "" {
			t.Errorf("%s keeps %q (%v)", object.End.Owner.Resource, kept, err)
		}
	}
	noNamespaces(t, rome, milan)
}

func TestTwoEndsBecomeOneShortcutByImport(t *testing.T) {
	rome, milan := romeAlone(t), milanAlone(t)
	there := milansSteps(milan)
	ensureAll(t, there)
	ensureAll(t, romesSteps(rome, *there[1].object.seen(t).Endpoint))
	shortcut := New(rome, milan)
	if token, _, err := shortcut.ImportedFrom(t.Context()); token != "" || err != nil {
		t.Fatalf("the owner of an object, %q, is that of a shortcut (%v)", token, err)
	}
	shortcut.OwnedBy(claims)
	if state := shortcut.seen(t); !state.Exists || !state.Unmarked {
		t.Fatalf("the imported shortcut is %+v", state)
	}
	if theirs, err := shortcut.unrecorded(t.Context()); err != nil || !theirs {
		t.Errorf("no update would take the objects from the resources for one end (%v)", err)
	}
	shortcut.connects(t, overNodePort)
	if state := shortcut.seen(t); !state.Exists || state.Unmarked {
		t.Errorf("the shortcut is %+v", state)
	}
	if theirs, err := shortcut.unrecorded(t.Context()); err != nil || theirs {
		t.Errorf("another update is needed (%v)", err)
	}
	shortcut.OwnedBy(me)
	taken := there[0].object.seen(t)
	if taken.Exists || taken.Taken != `Configuration liqo-tenant-rome/rome on leaf "milan"` {
		t.Errorf("the resource for one end has %+v", taken)
	}
	must(t, shortcut.Disconnect(t.Context(), Removal{}))
	noNamespaces(t, rome, milan)
}

func TestAnEndObjectDoesNotTakeTheNetworkFromAPeering(t *testing.T) {
	milan := liqotest.Leaf(t, "milan", append(ranges("10.2.0.0/16"), clustertest.Peering("rome", "Provider"))...)
	object := endObjectOf(milan, "rome", owner.ConfigurationResource)
	must(t, object.EnsureConfiguration(t.Context(), "", romesNetworks))
	_, err := object.Remove(t.Context(), liqo.KeySecret{})
	refused(t, err, `a peering uses the network on leaf "milan"`, "Configuration liqo-tenant-rome/rome", "liqoctl unpeer",
		"a resource for one end has no `destroy_peering_network`", "`liqoctl` also removes the network")
	if !object.seen(t).Exists {
		t.Error("it is gone")
	}
}

func TestANamespaceStaysIfAPeeringBeginsWhileTheLastObjectGoes(t *testing.T) {
	milan := milanAlone(t)
	configuration := endObjectOf(milan, "rome", owner.ConfigurationResource)
	must(t, configuration.EnsureConfiguration(t.Context(), "", romesNetworks))
	clustertest.On(milan, "delete", func(call clustertest.Call[*networkingv1beta1.Configuration]) error {
		tenant := &authv1beta1.Tenant{ObjectMeta: metav1.ObjectMeta{
			Namespace: "liqo-tenant-rome", Name: "rome", Labels: map[string]string{consts.RemoteClusterID: "rome"},
		}}
		if err := call.Client.Create(call.Context, tenant); err != nil {
			return err
		}
		return call.Send()
	})
	kept, err := configuration.Remove(t.Context(), liqo.KeySecret{})
	if err != nil || !strings.Contains(kept, "peering") {
		t.Errorf("it keeps %q (%v)", kept, err)
	}
	namespace, err := configuration.End.TenantNamespace(t.Context())
	if err != nil || namespace == nil || end.Leaving(namespace) {
		t.Errorf("the namespace is %v (%v)", namespace, err)
	}
}

func TestAnObjectThatOnlyTheCacheLacksIsNotGone(t *testing.T) {
	milan := milanAlone(t)
	configuration := endObjectOf(milan, "rome", owner.ConfigurationResource)
	must(t, configuration.EnsureConfiguration(t.Context(), "", romesNetworks))
	ctx, cancel := context.WithCancelCause(t.Context())
	stale := behind(t, milan, cancel)
	if state, err := endObjectOf(stale, "rome", owner.ConfigurationResource).Observe(ctx); !errors.Is(err, errLate) {
		t.Errorf("the state is %+v (%v)", state, err)
	}
	if !configuration.seen(t).Exists {
		t.Error("the object is gone")
	}
}
