package shortcut

import (
	"reflect"
	"strings"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// remappedBy is [theirs] after Liqo has decided.
func remappedBy(remote, pods, external string) *networkingv1beta1.Configuration {
	configuration := ours(theirs(remote))
	configuration.Status = networkingv1beta1.ConfigurationStatus{
		Conditions: []metav1.Condition{{Type: networkingv1beta1.ConfigurationConditionNetworkCIDRsConfigured, Status: metav1.ConditionTrue}},
		Remote: &networkingv1beta1.ClusterConfig{CIDR: networkingv1beta1.ClusterConfigCIDR{
			Pod: []networkingv1beta1.CIDR{networkingv1beta1.CIDR(pods)}, External: []networkingv1beta1.CIDR{networkingv1beta1.CIDR(external)},
		}},
	}
	return configuration
}

func TestTheStateHasAllThatTheLeavesShow(t *testing.T) {
	rome := append(byProvider(end(asClient, "milan", up)[1:]), remappedBy("milan", "10.10.0.0/16", "10.71.0.0/16"))
	milan := append(byProvider(end(asServer, "rome", up)[1:]), remappedBy("rome", "10.20.0.0/16", "10.72.0.0/16"))
	state, err := New(clustertest.Leaf(t, "rome", rome...), clustertest.Leaf(t, "milan", milan...)).Observe(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	reached := func(pods, external string) Network {
		return Network{
			PodCIDRs: []string{"10.0.0.0/16"}, ExternalCIDR: "10.70.0.0/16", RemappedPodCIDRs: []string{pods}, RemappedExternalCIDR: external,
		}
	}
	expected := State{
		Exists: true, Joined: true, Status: Connected,
		Client: End{ClusterID: "rome", Namespace: "liqo-tenant-milan", LiqoNamespace: "liqo", MTU: 1340, Network: reached("10.20.0.0/16", "10.72.0.0/16")},
		Server: End{ClusterID: "milan", Namespace: "liqo-tenant-rome", LiqoNamespace: "liqo", MTU: 1340, Network: reached("10.10.0.0/16", "10.71.0.0/16")},
		ServerGateway: &ServerGateway{ServiceType: "NodePort", Port: 51840, Template: Template{
			Name: "wireguard-server", Namespace: "liqo", Resource: DefaultServerTemplateResource,
		}},
		ServerEndpoint: &Endpoint{Addresses: []string{"172.18.0.2"}, Port: 31000, Protocol: "UDP"},
	}
	expected.ClientGateway = state.ClientGateway // TestTheGatewaysHaveEverySettingOfTheSpec looks at it
	if !reflect.DeepEqual(state, expected) {
		t.Errorf("got      %+v\nexpected %+v", state, expected)
	}
}

func TestARemappingShowsOnlyOnceLiqoHasDecided(t *testing.T) {
	undecided := remappedBy("milan", "10.10.0.0/16", "10.71.0.0/16")
	undecided.Status.Conditions = nil
	state, err := New(clustertest.Leaf(t, "rome", undecided), clustertest.Leaf(t, "milan")).Observe(t.Context(), false)
	network := state.Server.Network
	if err != nil || len(network.PodCIDRs) != 1 || network.RemappedPodCIDRs != nil || network.RemappedExternalCIDR != "" {
		t.Errorf("got %+v (%v)", network, err)
	}
}

func TestAFurtherObjectOfThePairIsNamedUnlessItIsTheOwners(t *testing.T) {
	for name, further := range map[string]bool{"somebody else's": true, "the owner's": false} {
		another := second()
		if !further {
			another = ours(another)
		}
		state, err := New(clustertest.Leaf(t, "rome"), clustertest.Leaf(t, "milan", ours(serverGateway("rome", 51840)), another)).Observe(t.Context(), false)
		named := strings.Join(state.Duplicates, "; ") == `GatewayServer liqo-tenant-rome/somewhat-later on leaf "milan"`
		if err != nil || named != further {
			t.Errorf("%s: it names %q (%v)", name, state.Duplicates, err)
		}
	}
}

func TestAnOwnerIsNamedByWhereItMadeTheShortcut(t *testing.T) {
	at := time.Date(2026, 11, 21, 5, 5, 6, 0, time.FixedZone("Rome", 3600))
	for expected, origin := range map[string]Origin{
		"another resource of this provider":                                    {},
		"alice@ci, in folder network, workspace prod, at 2026-11-21T04:05:06Z": {Who: "alice@ci", Folder: "network", Workspace: "prod", At: at},
		"in folder network": {Folder: "network"},
		"workspace prod":    {Workspace: "prod"},
	} {
		if got := origin.String(); got != expected {
			t.Errorf("got %q, expected %q", got, expected)
		}
	}
}

func TestAnInspectionCallsATunnelThatIsNotUpYetConnecting(t *testing.T) {
	coming := networkingv1beta1.ConnectionStatus{Value: networkingv1beta1.Connecting}
	found, err := New(clustertest.Leaf(t, "rome", end(asClient, "milan", coming)...), clustertest.Leaf(t, "milan", end(asServer, "rome", up)...)).Inspect(t.Context())
	if err != nil || found.Status != Connecting || found.ClientEnd.Status != Connecting || found.ServerEnd.Status != Connected {
		t.Errorf("got %s, %s and %s (%v)", found.Status, found.ClientEnd.Status, found.ServerEnd.Status, err)
	}
}

func TestAWaitForWhatIsThereAlreadyEndsAtOnce(t *testing.T) {
	s := New(clustertest.Leaf(t, "rome", end(asClient, "milan", up)...), clustertest.Leaf(t, "milan", end(asServer, "rome", up)...))
	endpoint, err := s.server.waitForEndpoint(t.Context())
	if err != nil || !reflect.DeepEqual(endpoint, Endpoint{Addresses: []string{"172.18.0.2"}, Port: 31000, Protocol: "UDP"}) {
		t.Errorf("the endpoint is %+v (%v)", endpoint, err)
	}
	for _, on := range s.sides() {
		if err := on.waitForConnection(t.Context()); err != nil {
			t.Errorf("%s: %v", on.leaf.Name, err)
		}
	}
}
