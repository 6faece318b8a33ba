package shortcut

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
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
	state := New(clustertest.Leaf(t, "rome", rome...), clustertest.Leaf(t, "milan", milan...)).seen(t)
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
			Template: liqo.DefaultTemplate(liqo.ServerRole, "liqo"),
		},
		ServerEndpoint: &liqo.Endpoint{Addresses: []string{"172.18.0.2"}, Port: 31000, Protocol: "UDP"},
		ClientGateway: &liqo.GatewaySettings{
			Role: liqo.ClientRole, TunnelSettings: tunnel, ServerAddress: "172.18.0.2", ServerPort: 31000,
			Template: liqo.DefaultTemplate(liqo.ClientRole, "liqo"),
		},
	}
	if !reflect.DeepEqual(state, expected) {
		t.Errorf("got      %+v\nexpected %+v", state, expected)
	}
}

var errLate = errors.New("the cache does not catch up")

// behind is a leaf whose cache and watches have nothing. After somebody has read its Configurations live, it gives up.
func behind(t *testing.T, leaf *cluster.Leaf, giveUp context.CancelCauseFunc) *cluster.Leaf {
	t.Helper()
	stale := clustertest.Leaf(t, leaf.Name)
	stale.Clients().Live = leaf.Clients().Live
	clustertest.On(stale, "list", func(call clustertest.Call[*networkingv1beta1.ConfigurationList]) error {
		defer giveUp(errLate)
		return call.Send()
	})
	return stale
}

func TestAShortcutThatOnlyTheCachesLackIsNotGone(t *testing.T) {
	s := joined(t)
	for name, self := range map[string]owner.Owner{
		"with its tenant namespaces": me, "without any other trace": {Token: "stranger"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			stale := New(behind(t, s.Client.Leaf, cancel), behind(t, s.Server.Leaf, cancel)).OwnedBy(self)
			if state, err := stale.Observe(ctx); !errors.Is(err, errLate) {
				t.Errorf("the state is %+v (%v)", state, err)
			}
		})
	}
}

func TestTheWarningOfATunnelThatIsDownHasWhatBothLeavesShow(t *testing.T) {
	down := New(clustertest.Leaf(t, "rome", clustertest.ClientEnd("milan", failed)...),
		clustertest.Leaf(t, "milan", clustertest.ServerEnd("rome", failed)...)).WhyDown(t.Context())
	refused(t, down, `the tunnel from "rome" to "milan" is down`,
		`The gateway of "rome" dials 172.18.0.2, UDP port 31000.`,
		`On leaf "rome", Connection liqo-tenant-milan/gw-milan says "Error".`,
		`On leaf "milan", Connection liqo-tenant-rome/gw-rome says "Error".`)
}

func TestAnExtraObjectOfThePairIsNamedUnlessItIsTheOwners(t *testing.T) {
	for name, further := range map[string]bool{"someone else's": true, "the owner's": false} {
		t.Run(name, func(t *testing.T) {
			another := second()
			if !further {
				another = ours(another)
			}
			state := New(clustertest.Leaf(t, "rome"),
				clustertest.Leaf(t, "milan", ours(clustertest.GatewayServer("rome", 51840)), another)).seen(t)
			named := strings.Join(state.Duplicates, "; ") == `GatewayServer liqo-tenant-rome/somewhat-later on leaf "milan"`
			if named != further {
				t.Errorf("it names %q", state.Duplicates)
			}
		})
	}
}

func TestObserveFindsMyObjects(t *testing.T) {
	for name, objects := range belongings() {
		t.Run(name, func(t *testing.T) {
			if state := joinedAtRome(t, objects).seen(t); !state.Joined || state.Exists != (name == "mine") {
				t.Errorf("exists: %t, joined: %t", state.Exists, state.Joined)
			}
		})
	}
}

// recorded is Liqo's record of another cluster. A peering may use it.
func recorded(remote string, peered bool) *liqov1beta1.ForeignCluster {
	record := clustertest.Peering(remote, liqov1beta1.UnknownRole)
	record.Status.Modules.Authentication.Enabled = peered
	return record
}

func TestAShortcutExistsWhileARemovalHasSomethingToDo(t *testing.T) {
	theirs, record := clustertest.TenantNamespace("rome"), recorded("rome", false)
	for name, test := range map[string]struct {
		onMilan []client.Object
		exists  bool
	}{
		"our namespace":                             {[]client.Object{romesNamespace(owner.Owner{})}, true},
		"someone else's namespace":                  {[]client.Object{theirs}, false},
		"nothing":                                   {nil, false},
		"the record of the other cluster":           {[]client.Object{record}, true},
		"the record, in use":                        {[]client.Object{recorded("rome", true)}, false},
		"the record, with someone else's namespace": {[]client.Object{record, theirs}, false},
		"the record, with someone else's network":   {[]client.Object{record, clustertest.Configuration("rome")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			state := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", test.onMilan...)).seen(t)
			if state.Exists != test.exists || state.Status != Disconnected {
				t.Errorf("exists: %t, %s", state.Exists, state.Status)
			}
		})
	}
}
