package shortcut

import (
	"errors"
	"strings"
	"testing"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/forge"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// theirs is a Configuration of the other cluster that somebody else wrote.
func theirs(remote string) *networkingv1beta1.Configuration {
	return forge.Configuration(remote, "liqo-tenant-"+remote, liqov1beta1.ClusterID(remote), []string{"10.0.0.0/16"}, "10.70.0.0/16")
}

func ours[T client.Object](object T) T { Owner{}.mark(object); return object }

func serverGateway(remote string, port int32) *networkingv1beta1.GatewayServer {
	return &networkingv1beta1.GatewayServer{
		ObjectMeta: metav1.ObjectMeta{Name: remote, Namespace: "liqo-tenant-" + remote, Labels: map[string]string{
			"liqo.io/remote-cluster-id": remote,
		}},
		Spec: networkingv1beta1.GatewayServerSpec{
			MTU:      1340,
			Endpoint: networkingv1beta1.Endpoint{Port: port, ServiceType: corev1.ServiceTypeNodePort},
			ServerTemplateRef: corev1.ObjectReference{
				Name: "wireguard-server", Namespace: "liqo", Kind: "WgGatewayServerTemplate", APIVersion: "networking.liqo.io/v1beta1",
			},
		},
		Status: networkingv1beta1.GatewayServerStatus{Endpoint: &networkingv1beta1.EndpointStatus{
			Addresses: []string{"172.18.0.2"}, Port: 31000, Protocol: ptr.To(corev1.ProtocolUDP),
		}},
	}
}

// wireGuard makes it a gateway that Liqo has reacted to.
func wireGuard(gateway *networkingv1beta1.GatewayServer) *networkingv1beta1.GatewayServer {
	gateway.UID = "gateway"
	gateway.Status.ServerRef = &corev1.ObjectReference{
		APIVersion: networkingv1beta1.GroupVersion.String(), Kind: networkingv1beta1.WgGatewayServerKind,
		Namespace: gateway.Namespace, Name: gateway.Name,
	}
	return gateway
}

func clientGateway(address string) *networkingv1beta1.GatewayClient {
	const remote, port = "milan", 31000
	return &networkingv1beta1.GatewayClient{
		ObjectMeta: metav1.ObjectMeta{Name: remote, Namespace: "liqo-tenant-" + remote, Labels: map[string]string{
			"liqo.io/remote-cluster-id": remote,
		}},
		Spec: networkingv1beta1.GatewayClientSpec{
			MTU: 1340,
			Endpoint: networkingv1beta1.EndpointStatus{
				Addresses: []string{address}, Port: port, Protocol: ptr.To(corev1.ProtocolUDP),
			},
			ClientTemplateRef: corev1.ObjectReference{
				Name: "wireguard-client", Namespace: "liqo", Kind: "WgGatewayClientTemplate", APIVersion: "networking.liqo.io/v1beta1",
			},
		},
	}
}

// withKeys and withServerKeys make it a gateway that Liqo has made a Secret for.
func withKeys(gateway *networkingv1beta1.GatewayClient) *networkingv1beta1.GatewayClient {
	gateway.Status.SecretRef = &corev1.ObjectReference{Namespace: gateway.Namespace, Name: "gw-" + gateway.Name}
	return gateway
}

func withServerKeys(gateway *networkingv1beta1.GatewayServer) *networkingv1beta1.GatewayServer {
	gateway.Status.SecretRef = &corev1.ObjectReference{Namespace: gateway.Namespace, Name: "gw-" + gateway.Name}
	return gateway
}

// ranges are the address ranges of a leaf with that pod CIDR, as Liqo's IPAM has them.
func ranges(podCIDR string) []client.Object {
	return clustertest.Ranges(podCIDR, "10.70.0.0/16")
}

// leafWith is a leaf with address ranges that holds these objects.
func leafWith(t *testing.T, name string, objects ...client.Object) *cluster.Leaf {
	t.Helper()
	return clustertest.Leaf(t, name, append(ranges("10.0.0.0/16"), objects...)...)
}

var overNodePort = Spec{MTU: 1340, Server: ServerGateway{ServiceType: corev1.ServiceTypeNodePort, Port: 51840}}

func TestANetworkOfSomebodyElsesIsLeftAlone(t *testing.T) {
	rome, milan := leafWith(t, "rome", theirs("milan")), leafWith(t, "milan")
	err := New(rome, milan).Connect(t.Context(), overNodePort)
	var problem *explain.Problem
	if !errors.As(err, &problem) || problem.Leaf != "rome" || !strings.Contains(problem.Detail, "Configuration liqo-tenant-milan/milan") {
		t.Fatalf("got: %v", err)
	}
	for _, leaf := range []*cluster.Leaf{rome, milan} {
		var namespaces corev1.NamespaceList
		if err := leaf.Live.List(t.Context(), &namespaces); err != nil || len(namespaces.Items) != 0 {
			t.Errorf("something was written on %s (%v)", leaf.Name, err)
		}
	}
}

func TestOnePairHasOneShortcut(t *testing.T) {
	first, second := Owner{Token: "first", Origin: Origin{Folder: "one"}}, Owner{Token: "second", Origin: Origin{Folder: "two"}}
	configuration, gateway := theirs("milan"), serverGateway("milan", 51840)
	for _, object := range []client.Object{configuration, gateway} {
		first.mark(object)
	}
	setAnnotation(configuration, completeAnnotation, "first "+time.Now().Format(time.RFC3339))
	shortcut := New(leafWith(t, "rome", configuration, gateway), leafWith(t, "milan")).OwnedBy(second)
	if err := shortcut.Connect(t.Context(), overNodePort); err == nil || !strings.Contains(err.Error(), "a shortcut with \"milan\" exists already") {
		t.Errorf("got: %v", err)
	}
}

func TestDisconnectLeavesWhatSomebodyElseMade(t *testing.T) {
	rome := clustertest.Leaf(t, "rome", theirs("milan"), serverGateway("milan", 51840),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "liqo-tenant-milan", Labels: map[string]string{
			"liqo.io/remote-cluster-id": "milan", "liqo.io/tenant-namespace": "true",
		}}})
	shortcut := New(rome, clustertest.Leaf(t, "milan"))
	if err := shortcut.Disconnect(t.Context(), Removal{}); err != nil {
		t.Fatal(err)
	}
	left, err := shortcut.client.find(t.Context())
	if err != nil || left.configuration == nil || left.server == nil {
		t.Errorf("left are %v (%v)", left.all(), err)
	}
	namespace, err := shortcut.client.tenantNamespace(t.Context())
	if err != nil || namespace == nil {
		t.Errorf("the tenant namespace is gone (%v)", err)
	}
}

func TestDisconnectRemovesWhatIsOursAndCanBeRepeated(t *testing.T) {
	namespace := tenantnamespace.NewManager(nil, nil).ForgeNamespace("milan", nil)
	rome := clustertest.Leaf(t, "rome", ours(theirs("milan")), ours(clientGateway("172.18.0.2")), ours(namespace))
	shortcut := New(rome, clustertest.Leaf(t, "milan"))
	for range 2 {
		if err := shortcut.Disconnect(t.Context(), Removal{}); err != nil {
			t.Fatal(err)
		}
		state, err := shortcut.Observe(t.Context(), false)
		if err != nil || state.Exists {
			t.Errorf("something is left: %+v (%v)", state, err)
		}
	}
	if left, err := shortcut.client.tenantNamespace(t.Context()); err != nil || left != nil {
		t.Errorf("the tenant namespace is left (%v)", err)
	}
}

func TestKeysAreMissedOnlyWhereLiqoHasMadeThem(t *testing.T) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-milan", Name: "gw-milan"}}
	reference := &corev1.ObjectReference{Namespace: secret.Namespace, Name: secret.Name}
	for name, test := range map[string]struct {
		objects []client.Object
		keys    *corev1.ObjectReference
		brought string
		lost    bool
	}{
		"not made yet":     {nil, nil, "", false},
		"made":             {[]client.Object{secret}, reference, "", false},
		"made and deleted": {nil, reference, "", true},
		"the user's own":   {nil, reference, secret.Name, false}, // an error tells of it, later
	} {
		client := New(clustertest.Leaf(t, "rome", test.objects...), clustertest.Leaf(t, "milan")).client
		lost, err := client.keysLost(t.Context(), test.keys, corev1.LocalObjectReference{Name: test.brought})
		if err != nil || lost != test.lost {
			t.Errorf("%s: lost: %t (%v)", name, lost, err)
		}
	}
}

func TestTheTenantNamespaceIsMadeOnceAndMarked(t *testing.T) {
	shortcut := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan"))
	name, err := shortcut.client.ensureTenantNamespace(t.Context())
	if err != nil || name != "liqo-tenant-milan" {
		t.Fatalf("got %q (%v)", name, err)
	}
	namespace, err := shortcut.client.tenantNamespace(t.Context())
	if err != nil || namespace == nil || !managed(namespace) {
		t.Errorf("the namespace is not there, or not marked (%v)", err)
	}
}

func TestTheStateSaysWhereEachLeafReachesTheOther(t *testing.T) {
	at := func(remote, remapped string) *networkingv1beta1.Configuration {
		configuration := ours(theirs(remote))
		configuration.Status = networkingv1beta1.ConfigurationStatus{
			Conditions: []metav1.Condition{{
				Type: networkingv1beta1.ConfigurationConditionNetworkCIDRsConfigured, Status: metav1.ConditionTrue,
			}},
			Remote: &networkingv1beta1.ClusterConfig{CIDR: networkingv1beta1.ClusterConfigCIDR{
				Pod: []networkingv1beta1.CIDR{networkingv1beta1.CIDR(remapped)}, External: []networkingv1beta1.CIDR{"10.71.0.0/16"},
			}},
		}
		return configuration
	}
	shortcut := New(clustertest.Leaf(t, "rome", at("milan", "10.10.0.0/16")), clustertest.Leaf(t, "milan", at("rome", "10.20.0.0/16")))
	state, err := shortcut.Observe(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if got := state.Client.Network.RemappedPodCIDRs; len(got) != 1 || got[0] != "10.20.0.0/16" {
		t.Errorf("the client is reached at %v: Milan's Configuration says 10.20.0.0/16", got)
	}
	if got := state.Server.Network.RemappedPodCIDRs; len(got) != 1 || got[0] != "10.10.0.0/16" {
		t.Errorf("the server is reached at %v: Rome's Configuration says 10.10.0.0/16", got)
	}
	if state.Status != Disconnected || !state.Exists {
		t.Errorf("got %s, exists: %t", state.Status, state.Exists)
	}
}

func TestANetworkOfAPeeringIsLeftAloneAndThePeeringNamed(t *testing.T) {
	shortcut := New(leafWith(t, "rome", theirs("milan"), peer("milan", liqov1beta1.ProviderRole)), leafWith(t, "milan"))
	err := shortcut.Connect(t.Context(), overNodePort)
	var problem *explain.Problem
	if !errors.As(err, &problem) || !strings.Contains(problem.Detail, `the peering with "milan" (ForeignCluster milan, role Provider) did.`) ||
		!strings.Contains(problem.Detail, "end the peering first with `liqoctl unpeer`") {
		t.Errorf("got: %v", err)
	}
	if state, err := shortcut.Observe(t.Context(), false); err != nil || state.Exists || !state.Joined {
		t.Errorf("exists: %t, joined: %t (%v)", state.Exists, state.Joined, err)
	}
	// There is nothing to remove, so nothing to refuse.
	if err := shortcut.Disconnect(t.Context(), Removal{}); err != nil {
		t.Error(err)
	}
	if left, err := shortcut.client.find(t.Context()); err != nil || left.configuration == nil {
		t.Errorf("the peering has lost its Configuration (%v)", err)
	}
	if err := shortcut.OwnedBy(Owner{Claims: true}).Disconnect(t.Context(), Removal{}); err == nil || !strings.Contains(err.Error(), "a peering uses the network") {
		t.Errorf("got: %v", err)
	}
}

func TestAPeeringKeepsItsNetworkUnlessForced(t *testing.T) {
	peered := func() *Shortcut {
		foreign := peer("milan", liqov1beta1.ProviderRole)
		namespace := tenantnamespace.NewManager(nil, nil).ForgeNamespace("milan", nil)
		return New(clustertest.Leaf(t, "rome", ours(theirs("milan")), ours(namespace), foreign), clustertest.Leaf(t, "milan", ours(theirs("rome"))))
	}
	shortcut := peered()
	err := shortcut.Disconnect(t.Context(), Removal{})
	if err == nil || !strings.Contains(err.Error(), "a peering uses the network") || !strings.Contains(err.Error(), "role Provider") {
		t.Errorf("got: %v", err)
	}
	for _, on := range shortcut.sides() {
		if left, err := on.find(t.Context()); err != nil || left.configuration == nil {
			t.Errorf("%s has lost its Configuration (%v)", on.leaf.Name, err)
		}
	}

	forced := peered()
	if err := forced.Disconnect(t.Context(), Removal{EvenFromPeering: true}); err != nil {
		t.Fatal(err)
	}
	if left, err := forced.client.find(t.Context()); err != nil || left.configuration != nil {
		t.Errorf("the Configuration is left (%v)", err)
	}
	if namespace, err := forced.client.tenantNamespace(t.Context()); err != nil || namespace == nil {
		t.Errorf("the peering has lost its tenant namespace (%v)", err)
	}
}

func TestAnOverlapNamesBothRanges(t *testing.T) {
	overlaps, err := New(clustertest.Leaf(t, "rome", ranges("10.0.0.0/8")...), clustertest.Leaf(t, "milan", ranges("192.168.0.0/16")...)).
		Overlaps(t.Context(), EndSpec{}, EndSpec{PodCIDRs: []string{"10.1.0.0/16"}})
	if err != nil || len(overlaps) != 2 {
		t.Fatalf("got %v (%v)", overlaps, err)
	}
	if got := overlaps[0].String(); !strings.Contains(got, `10.1.0.0/16 of "milan" overlaps with 10.0.0.0/8, the pod CIDR of "rome"`) {
		t.Errorf("it says: %s", got)
	}
	if got := overlaps[1].String(); !strings.Contains(got, `10.0.0.0/8 of "rome" overlaps with 10.70.0.0/16, the external CIDR of "milan"`) {
		t.Errorf("it says: %s", got)
	}
}

func TestAShortcutIsThereWhileARemovalHasSomethingToDo(t *testing.T) {
	namespace := func() *corev1.Namespace { return tenantnamespace.NewManager(nil, nil).ForgeNamespace("rome", nil) }
	record := func(peered bool) *liqov1beta1.ForeignCluster {
		return &liqov1beta1.ForeignCluster{
			ObjectMeta: metav1.ObjectMeta{Name: "rome", Labels: map[string]string{"liqo.io/remote-cluster-id": "rome"}},
			Spec:       liqov1beta1.ForeignClusterSpec{ClusterID: "rome"},
			Status:     liqov1beta1.ForeignClusterStatus{Modules: liqov1beta1.Modules{Authentication: liqov1beta1.Module{Enabled: peered}}},
		}
	}
	for name, test := range map[string]struct {
		onMilan []client.Object
		exists  bool
	}{
		"our namespace":                              {[]client.Object{ours(namespace())}, true},
		"somebody else's namespace":                  {[]client.Object{namespace()}, false},
		"nothing":                                    {nil, false},
		"the record of the other cluster":            {[]client.Object{record(false)}, true},
		"the record, in use":                         {[]client.Object{record(true)}, false},
		"the record, with somebody else's namespace": {[]client.Object{record(false), namespace()}, false},
	} {
		state, err := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", test.onMilan...)).Observe(t.Context(), false)
		if err != nil || state.Exists != test.exists || state.Status != Disconnected {
			t.Errorf("%s: exists: %t, %s (%v)", name, state.Exists, state.Status, err)
		}
	}
}

func TestWhatAnInterruptedRemovalHasLeftIsFound(t *testing.T) {
	left := &networkingv1beta1.WgGatewayServer{
		ObjectMeta: metav1.ObjectMeta{Name: "rome", Namespace: "default", Labels: map[string]string{"liqo.io/remote-cluster-id": "rome"}},
		Spec:       networkingv1beta1.WgGatewayServerSpec{SecretRef: corev1.LocalObjectReference{Name: "my-keys"}},
	}
	ofAnother := left.DeepCopy()
	ofAnother.Name, ofAnother.Labels = "turin", map[string]string{"liqo.io/remote-cluster-id": "turin"}
	milan := clustertest.Leaf(t, "milan", left, ofAnother)
	found, err := New(clustertest.Leaf(t, "rome"), milan).server.orphans(t.Context())
	if err != nil || len(found) != 1 {
		t.Fatalf("got %v (%v)", found, err)
	}
	inDefault := func(name string) client.ObjectKey { return client.ObjectKey{Namespace: "default", Name: name} }
	if got := found[0]; got.name != inDefault("gw-rome") || got.technology.key != inDefault("rome") || got.brought != inDefault("my-keys") || got.keys != nil {
		t.Errorf("got %+v", got)
	}
}
