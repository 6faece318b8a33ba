package shortcut

import (
	"fmt"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// wholeClient and wholeServer are the two ends of a complete network. The gateway reports this status.
func wholeClient(status networkingv1beta1.ConnectionStatusValue) liqo.Objects {
	return objectsOf(clustertest.ClientEnd("milan", networkingv1beta1.ConnectionStatus{Value: status}))
}

func wholeServer(status networkingv1beta1.ConnectionStatusValue) liqo.Objects {
	return objectsOf(clustertest.ServerEnd("rome", networkingv1beta1.ConnectionStatus{Value: status}))
}

func objectsOf(all []client.Object) (objects liqo.Objects) {
	for _, object := range all {
		objects.Add(object)
	}
	return objects
}

func TestTheStatusIsThatOfTheWorseEnd(t *testing.T) {
	up, down, failed := up.Value, networkingv1beta1.Connecting, failed.Value
	for _, test := range []struct {
		client, server networkingv1beta1.ConnectionStatusValue
		expected       Status
	}{
		{up, up, Connected}, {up, down, Connecting}, {down, up, Connecting}, {up, "", Connecting},
		{failed, up, Error}, {down, failed, Error},
	} {
		n := network{client: wholeClient(test.client), server: wholeServer(test.server)}
		if got := n.status(); got != test.expected {
			t.Errorf("client %q, server %q: %s, expected %s", test.client, test.server, got, test.expected)
		}
	}
}

func TestWithAnyObjectMissingThereIsNoConnection(t *testing.T) {
	for name, remove := range map[string]func(client, server *liqo.Objects){
		"the client's Configuration": func(client, _ *liqo.Objects) { client.Configuration = nil },
		"the server's Configuration": func(_, server *liqo.Objects) { server.Configuration = nil },
		"the GatewayClient":          func(client, _ *liqo.Objects) { client.Gateway = nil },
		"the server's address":       func(client, _ *liqo.Objects) { client.Gateway.Endpoint.Addresses = nil },
		"the GatewayServer":          func(_, server *liqo.Objects) { server.Gateway = nil },
		"the client's PublicKey":     func(client, _ *liqo.Objects) { client.PublicKey = nil },
		"the server's PublicKey":     func(_, server *liqo.Objects) { server.PublicKey = nil },
		"the key that Rome was told": func(client, _ *liqo.Objects) { annotate(client.PublicKey, "key-sha256", "another's") },
	} {
		t.Run(name, func(t *testing.T) {
			client, server := wholeClient(networkingv1beta1.Connected), wholeServer(networkingv1beta1.Connected)
			remove(&client, &server)
			if got := (network{client: client, server: server}).status(); got != Disconnected {
				t.Errorf("without %s: %s", name, got)
			}
		})
	}
}

// readingsOf returns this number of leaves and of networks between them. Each leaf has the same number of networks.
func readingsOf(leaves, networks int) []surveyedLeaf {
	surveyed := make([]surveyedLeaf, leaves)
	id := func(i int) string { return fmt.Sprintf("leaf-%05d", i%leaves) }
	for i := range surveyed {
		surveyed[i] = surveyedLeaf{Leaf: Leaf{Name: id(i), ClusterID: id(i)}, networks: map[string]liqo.Objects{}}
	}
	for i := range networks {
		client, server := i%leaves, (i+1+i/leaves)%leaves
		surveyed[client].networks[id(server)] = wholeClient(networkingv1beta1.Connected)
		surveyed[server].networks[id(client)] = wholeServer(networkingv1beta1.Connected)
	}
	return surveyed
}

func TestASurveyOfManyLeavesMissesNoNetwork(t *testing.T) {
	survey := newLeafIndex(readingsOf(1000, 5000)).survey()
	if len(survey.Leaves) != 1000 || len(survey.Links) != 5000 {
		t.Fatalf("%d leaves, %d networks", len(survey.Leaves), len(survey.Links))
	}
	for _, link := range survey.Links {
		if link.Status != Connected {
			t.Fatalf("%+v", link)
		}
	}
}

// The time is proportional to the number of networks, whatever the number of leaves.
func BenchmarkSurvey(b *testing.B) {
	for _, size := range []struct{ leaves, networks int }{{1000, 5000}, {2000, 10000}} {
		b.Run(fmt.Sprintf("leaves=%d,networks=%d", size.leaves, size.networks), func(b *testing.B) {
			surveyed := readingsOf(size.leaves, size.networks)
			b.ReportAllocs()
			for b.Loop() {
				if survey := newLeafIndex(surveyed).survey(); len(survey.Links) != size.networks {
					b.Fatalf("%d networks", len(survey.Links))
				}
			}
		})
	}
}
