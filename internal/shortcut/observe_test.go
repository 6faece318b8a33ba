package shortcut

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestTheStateHasEverythingThatTheLeavesShow(t *testing.T) {
	rome := append(byProvider(clustertest.ClientEnd("milan", up)[1:]),
		ours(clustertest.Remapped("milan", "10.10.0.0/16", "10.71.0.0/16")))
	milan := append(byProvider(clustertest.ServerEnd("rome", up)[1:]),
		ours(clustertest.Remapped("rome", "10.20.0.0/16", "10.72.0.0/16")))
	state, err := New(clustertest.Leaf(t, "rome", rome...), clustertest.Leaf(t, "milan", milan...)).Observe(t.Context())
	must(t, err)
	reached := func(pods, external string) liqo.RemoteRanges {
		return liqo.RemoteRanges{
			PodCIDRs: []string{"10.0.0.0/16"}, ExternalCIDR: "10.70.0.0/16", RemappedPodCIDRs: []string{pods},
			RemappedExternalCIDR: external,
		}
	}
	tunnel := liqo.TunnelSettings{MTU: 1340}
	expected := State{
		Exists: true, Joined: true, Status: Connected,
		Client: EndState{
			ClusterID: "rome", ClusterUID: "uid-of-rome", Namespace: "liqo-tenant-milan", LiqoNamespace: "liqo",
			Network: reached("10.20.0.0/16", "10.72.0.0/16"),
		},
		Server: EndState{
			ClusterID: "milan", ClusterUID: "uid-of-milan", Namespace: "liqo-tenant-rome", LiqoNamespace: "liqo",
			Network: reached("10.10.0.0/16", "10.71.0.0/16"),
		},
		ServerGateway: &liqo.GatewaySettings{
			Role: liqo.ServerRole, TunnelSettings: tunnel, ServiceType: "NodePort", Port: 51840,
			Template: liqo.Template{
				Name: "wireguard-server", Namespace: "liqo", Resource: liqo.DefaultServerTemplateResource,
			}},
		ServerEndpoint: &liqo.Endpoint{Addresses: []string{"172.18.0.2"}, Port: 31000, Protocol: "UDP"},
		ClientGateway: &liqo.GatewaySettings{
			Role: liqo.ClientRole, TunnelSettings: tunnel, ServerAddress: "172.18.0.2", ServerPort: 31000,
			Template: liqo.Template{
				Name: "wireguard-client", Namespace: "liqo", Resource: liqo.DefaultClientTemplateResource,
			}},
	}
	if !reflect.DeepEqual(state, expected) {
		t.Errorf("got      %+v\nexpected %+v", state, expected)
	}
}

func TestAShortcutThatOnlyTheCachesLackIsNotGone(t *testing.T) {
	leaves := joined(t)
	late := errors.New("the cache does not catch up")
	for name, self := range map[string]owner.Owner{
		"with its tenant namespaces": me, "without any other trace": {Token: "stranger"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			var stale []*cluster.Leaf // whose caches and watches have nothing
			for _, leaf := range leaves {
				behind := clustertest.Leaf(t, leaf.Name)
				behind.Clients().Live = leaf.Clients().Live
				clustertest.On(behind, "list", func(call clustertest.Call[*networkingv1beta1.ConfigurationList]) error {
					defer cancel(late)
					return call.Send()
				})
				stale = append(stale, behind)
			}
			if state, err := New(stale[0], stale[1]).OwnedBy(self).Observe(ctx); !errors.Is(err, late) {
				t.Errorf("the state is %+v (%v)", state, err)
			}
			cancel(nil)
		})
	}
}

func TestTheStateSaysWhereEachLeafReachesTheOther(t *testing.T) {
	at := func(remote, remapped string) *networkingv1beta1.Configuration {
		configuration := ours(clustertest.Configuration(remote))
		configuration.Status = networkingv1beta1.ConfigurationStatus{
			Conditions: []metav1.Condition{{
				Type: networkingv1beta1.ConfigurationConditionNetworkCIDRsConfigured, Status: metav1.ConditionTrue,
			}},
			Remote: &networkingv1beta1.ClusterConfig{CIDR: networkingv1beta1.ClusterConfigCIDR{
				Pod:      []networkingv1beta1.CIDR{networkingv1beta1.CIDR(remapped)},
				External: []networkingv1beta1.CIDR{"10.71.0.0/16"},
			}},
		}
		return configuration
	}
	shortcut := New(clustertest.Leaf(t, "rome", at("milan", "10.10.0.0/16")),
		clustertest.Leaf(t, "milan", at("rome", "10.20.0.0/16")))
	state, err := shortcut.Observe(t.Context())
	must(t, err)
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

func TestAnExtraObjectOfThePairIsNamedUnlessItIsTheOwners(t *testing.T) {
	for name, further := range map[string]bool{"someone else's": true, "the owner's": false} {
		t.Run(name, func(t *testing.T) {
			another := second()
			if !further {
				another = ours(another)
			}
			state, err := New(clustertest.Leaf(t, "rome"),
				clustertest.Leaf(t, "milan", ours(clustertest.GatewayServer("rome", 51840)), another)).Observe(t.Context())
			named := strings.Join(state.Duplicates, "; ") == `GatewayServer liqo-tenant-rome/somewhat-later on leaf "milan"`
			if err != nil || named != further {
				t.Errorf("it names %q (%v)", state.Duplicates, err)
			}
		})
	}
}

func TestAShortcutIsAsConnectedAsItsWorstTunnel(t *testing.T) {
	milan := byProvider(clustertest.ServerEnd("rome", up))
	further := milan[3].DeepCopyObject().(*networkingv1beta1.Connection) //nolint:errcheck,forcetypeassert // it is one
	further.Name, further.Status = "further", failed
	state, err := New(leafWith(t, "rome", byProvider(clustertest.ClientEnd("milan", up))...),
		leafWith(t, "milan", append(milan, further)...)).Observe(t.Context())
	if err != nil || state.Status != Error || len(state.Duplicates) > 0 {
		t.Errorf("it is %s, with %q beside it (%v)", state.Status, state.Duplicates, err)
	}
}

func TestObserveFindsMyObjects(t *testing.T) {
	for name, objects := range belongings() {
		state, err := joinedAtRome(t, objects).Observe(t.Context())
		if err != nil || !state.Joined || state.Exists != (name == "mine") {
			t.Errorf("%s: exists: %t, joined: %t (%v)", name, state.Exists, state.Joined, err)
		}
	}
}

func TestAShortcutExistsWhileARemovalHasSomethingToDo(t *testing.T) {
	namespace := func() *corev1.Namespace { return tenantnamespace.NewManager(nil, nil).ForgeNamespace("rome", nil) }
	foreignCluster := func(peered bool) *liqov1beta1.ForeignCluster {
		return &liqov1beta1.ForeignCluster{
			ObjectMeta: metav1.ObjectMeta{Name: "rome", Labels: map[string]string{"liqo.io/remote-cluster-id": "rome"}},
			Spec:       liqov1beta1.ForeignClusterSpec{ClusterID: "rome"},
			Status: liqov1beta1.ForeignClusterStatus{
				Modules: liqov1beta1.Modules{Authentication: liqov1beta1.Module{Enabled: peered}},
			},
		}
	}
	for name, test := range map[string]struct {
		onMilan []client.Object
		exists  bool
	}{
		"our namespace":                             {[]client.Object{ours(namespace())}, true},
		"someone else's namespace":                  {[]client.Object{namespace()}, false},
		"nothing":                                   {nil, false},
		"the record of the other cluster":           {[]client.Object{foreignCluster(false)}, true},
		"the record, in use":                        {[]client.Object{foreignCluster(true)}, false},
		"the record, with someone else's namespace": {[]client.Object{foreignCluster(false), namespace()}, false},
		"the record, with someone else's network": {
			[]client.Object{foreignCluster(false), clustertest.Configuration("rome")}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			state, err := New(clustertest.Leaf(t, "rome"),
				clustertest.Leaf(t, "milan", test.onMilan...)).Observe(t.Context())
			if err != nil || state.Exists != test.exists || state.Status != Disconnected {
				t.Errorf("exists: %t, %s (%v)", state.Exists, state.Status, err)
			}
		})
	}
}
