package shortcut

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// asking asks leaves that are connected already.
func asking(connect func(name string) (*cluster.Leaf, error)) Ask {
	return func(
		ctx context.Context, name string, question func(context.Context, *cluster.Leaf) error,
	) (*cluster.Leaf, error) {
		leaf, err := connect(name)
		if err != nil {
			return nil, err
		}
		return leaf, question(ctx, leaf)
	}
}

var errNoAnswer = errors.New("no answer")

// surveyed is a survey of leaves with these names and objects. A leaf with nil does not answer.
func surveyed(t *testing.T, held map[string][]client.Object) Survey {
	t.Helper()
	return NewSurvey(t.Context(), slices.Sorted(maps.Keys(held)), asking(func(name string) (*cluster.Leaf, error) {
		if held[name] == nil {
			return nil, errNoAnswer
		}
		return clustertest.Leaf(t, name, held[name]...), nil
	}))
}

// said returns links as "client>server status maker".
func said(links []Link) []string {
	lines := []string{}
	for _, link := range links {
		lines = append(lines, link.Client.Name+">"+link.Server.Name+" "+string(link.Status)+" "+string(link.MadeBy))
	}
	return lines
}

// peered returns the peerings of a survey.
func peered(survey Survey) []Peering {
	var peerings []Peering
	for _, link := range survey.Links {
		if link.Peering != nil {
			peerings = append(peerings, *link.Peering)
		}
	}
	return peerings
}

// second is a second gateway of the same kind.
func second() client.Object {
	another := clustertest.GatewayServer("rome", 1)
	another.Name = "somewhat-later"
	return another
}

func TestASurveyHasEveryNetworkWhoeverCreatedIt(t *testing.T) {
	notAPeering := recorded("milan", false)
	notAPeering.Status.Modules.Networking.Enabled = true
	survey := surveyed(t, map[string][]client.Object{
		"europe": slices.Concat(clustertest.ServerEnd("rome", up), clustertest.ServerEnd("milan", up),
			[]client.Object{clustertest.Peering("milan", liqov1beta1.ProviderRole)}),
		"rome": slices.Concat(clustertest.ClientEnd("europe", up), byProvider(clustertest.ClientEnd("milan", up)),
			byProvider(clustertest.ServerEnd("naples", failed)), []client.Object{notAPeering}),
		"milan": slices.Concat(clustertest.ClientEnd("europe", up), byProvider(clustertest.ServerEnd("rome", up)),
			[]client.Object{clustertest.Configuration("elsewhere")}),
		"naples": clustertest.ClientEnd("rome", up),
	})
	expected := []string{
		"milan>europe Connected peering", "naples>rome Error other", "rome>europe Connected other",
		"rome>milan Connected terraform-provider-liqo",
	}
	if got := said(survey.Networks()); !slices.Equal(got, expected) {
		t.Errorf("got      %q\nexpected %q", got, expected)
	}
	if got := peered(survey); !slices.Equal(got, []Peering{{Consumer: "europe", Provider: "milan"}}) {
		t.Errorf("the peerings are %+v", got)
	}
}

func TestAnUnreachableLeafDoesNotHideTheOthers(t *testing.T) {
	survey := surveyed(t, map[string][]client.Object{
		"europe": slices.Concat(clustertest.ServerEnd("milan", up), clustertest.ServerEnd("rome", up),
			[]client.Object{clustertest.Peering("milan", liqov1beta1.ConsumerRole)}),
		"milan": nil,
		"rome":  clustertest.ClientEnd("europe", up),
	})
	expected := []string{"milan>europe Unknown peering", "rome>europe Connected other"}
	if got := said(survey.Networks()); !slices.Equal(got, expected) {
		t.Errorf("got      %q\nexpected %q", got, expected)
	}
	if milan := survey.Leaves[1]; milan.Name != "milan" || !errors.Is(milan.Err, errNoAnswer) || milan.ClusterID != "" ||
		survey.Leaves[2].Err != nil {
		t.Errorf("the leaves are %+v", survey.Leaves)
	}
	if got := peered(survey); !slices.Equal(got, []Peering{{Consumer: "milan", Provider: "europe"}}) {
		t.Errorf("the peerings are %+v", got)
	}
}

func TestAClusterWithTwoNamesCountsOnce(t *testing.T) {
	rome := clustertest.Leaf(t, "rome", clustertest.ClientEnd("milan", up)...)
	milan := clustertest.Leaf(t, "milan", clustertest.ServerEnd("rome", up)...)
	survey := NewSurvey(t.Context(), []string{"rome", "roma", "milan", "milan"},
		asking(func(name string) (*cluster.Leaf, error) {
			return map[string]*cluster.Leaf{"rome": rome, "roma": rome, "milan": milan}[name], nil
		}))
	if got := said(survey.Networks()); len(survey.Leaves) != 2 ||
		!slices.Equal(got, []string{"roma>milan Connected other"}) {
		t.Errorf("got %q of %+v", got, survey.Leaves)
	}
}

func TestTheRolesOfAPeeringComeFromEitherCluster(t *testing.T) {
	for name, test := range map[string]struct {
		atEurope, atRome liqov1beta1.RoleType // what the other one is; empty where there is no record
		expected         string
	}{
		"the consumer says so":      {liqov1beta1.ProviderRole, "", "europe>rome"},
		"the provider says so":      {"", liqov1beta1.ConsumerRole, "europe>rome"},
		"both say so":               {liqov1beta1.ProviderRole, liqov1beta1.ConsumerRole, "europe>rome"},
		"the other way round":       {liqov1beta1.ConsumerRole, "", "rome>europe"},
		"each is the other's":       {liqov1beta1.ConsumerAndProviderRole, "", "europe>rome both ways"},
		"one direction told by one": {liqov1beta1.ProviderRole, liqov1beta1.ProviderRole, "europe>rome both ways"},
		"not known yet":             {liqov1beta1.UnknownRole, "", "europe>rome both ways"},
	} {
		t.Run(name, func(t *testing.T) {
			held := map[string][]client.Object{"europe": {}, "rome": {}}
			if test.atEurope != "" {
				held["europe"] = append(held["europe"], clustertest.Peering("rome", test.atEurope))
			}
			if test.atRome != "" {
				held["rome"] = append(held["rome"], clustertest.Peering("europe", test.atRome))
			}
			survey := surveyed(t, held)
			peerings := peered(survey)
			if len(peerings) != 1 || len(survey.Networks()) != 0 || survey.Links[0].Status != "" {
				t.Fatalf("%+v", survey)
			}
			got := peerings[0].Consumer + ">" + peerings[0].Provider
			if peerings[0].BothWays {
				got += " both ways"
			}
			if got != test.expected {
				t.Errorf("%s, expected %s", got, test.expected)
			}
		})
	}
}

func TestAnIncompleteNetworkIsDisconnected(t *testing.T) {
	nothing, atMilan, atRome := []client.Object{}, clustertest.ServerEnd("rome", up), clustertest.ClientEnd("milan", up)
	for name, test := range map[string]struct {
		atMilan, atRome []client.Object
		expected        []string
	}{
		"Configurations":                   {atMilan[:1], atRome[:1], []string{"milan>rome Disconnected other"}},
		"a gateway":                        {atMilan[1:2], nothing, []string{"rome>milan Disconnected other"}},
		"one end":                          {nothing, atRome, []string{"rome>milan Disconnected other"}},
		"what Liqo itself will take away":  {atMilan[3:], nothing, []string{}},
		"a second object of the same kind": {append(atMilan, second()), atRome, []string{"rome>milan Connected other"}},
	} {
		t.Run(name, func(t *testing.T) {
			survey := surveyed(t, map[string][]client.Object{"milan": test.atMilan, "rome": test.atRome})
			if got := said(survey.Networks()); !slices.Equal(got, test.expected) {
				t.Errorf("%q, expected %q", got, test.expected)
			}
		})
	}
}

func TestTheLatencyOfANetworkIsTheClientsOrElseTheServers(t *testing.T) {
	for name, test := range map[string]struct {
		client, server string
		expected       float64
	}{
		"both":         {"2ms", "3ms", 2},
		"the server's": {"N/A", "3ms", 3},
	} {
		t.Run(name, func(t *testing.T) {
			survey := surveyed(t, map[string][]client.Object{
				"rome":  clustertest.ClientEnd("milan", measured(test.client)),
				"milan": clustertest.ServerEnd("rome", measured(test.server)),
			})
			if got := survey.Networks()[0].Latency; got == nil || got.Milliseconds() != test.expected {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestASurveyHasTheEndpointOfANetworkIfTheServerHasAGateway(t *testing.T) {
	atRome, atMilan := clustertest.ClientEnd("milan", up), clustertest.ServerEnd("rome", up)
	atMilan[1].(*networkingv1beta1.GatewayServer).Spec.MTU = 1400 //nolint:errcheck,forcetypeassert // the second is
	link := surveyed(t, map[string][]client.Object{"rome": atRome, "milan": atMilan}).Networks()[0]
	if link.MTU != 1400 || link.ServerEndpoint == nil || link.ServerEndpoint.Port != 31000 ||
		link.Client != (Cluster{"rome", "rome"}) {
		t.Errorf("got %+v", link)
	}
	link = surveyed(t, map[string][]client.Object{"rome": atRome, "milan": {}}).Networks()[0]
	if len(link.Owners) > 0 || link.MTU != 1340 || link.ServerEndpoint != nil {
		t.Errorf("got %+v", link)
	}
}

func TestASurveyHasAllOwnersOfANetworkWhoHasMostFirst(t *testing.T) {
	mark := func(objects []client.Object, owners ...owner.Owner) []client.Object {
		for i, one := range owners {
			one.Mark(objects[i])
		}
		return objects
	}
	ofEnd := owner.Owner{Token: "end", Resource: owner.PublicKeyResource}
	survey := surveyed(t, map[string][]client.Object{
		"rome":  mark(clustertest.ClientEnd("milan", up), somebody, me, ofEnd),
		"milan": append(mark(clustertest.ServerEnd("rome", up), me, killed), leftBehind()),
	})
	link := survey.Networks()[0]
	expected := []Ownership{
		{Token: "me", Origin: me.Origin, Complete: true, Objects: []string{
			`GatewayClient liqo-tenant-milan/milan on leaf "rome"`, `Configuration liqo-tenant-rome/rome on leaf "milan"`,
		}},
		{Token: "somebody", Origin: somebody.Origin, Complete: true, Objects: []string{
			`Configuration liqo-tenant-milan/milan on leaf "rome"`,
		}},
		{Token: "end", Resource: owner.PublicKeyResource, Complete: true, Objects: []string{
			`PublicKey liqo-tenant-milan/milan on leaf "rome"`,
		}},
		{Token: "killed", Origin: killed.Origin, Objects: []string{`GatewayServer liqo-tenant-rome/rome on leaf "milan"`}},
	}
	if !reflect.DeepEqual(link.Owners, expected) {
		t.Errorf("got %+v", link.Owners)
	}
}

func TestTheCostOfALeafDoesNotGrowWithItsNetworks(t *testing.T) {
	asked := func(networks int) int32 {
		var objects []client.Object
		for i := range networks {
			objects = append(objects, clustertest.ServerEnd(fmt.Sprintf("leaf-%d", i), up)...)
		}
		leaf := clustertest.Leaf(t, "rome", objects...)
		var count atomic.Int32
		counting := func(call clustertest.Call[any]) error {
			count.Add(1)
			return call.Send()
		}
		clustertest.On(leaf, "list get", counting)
		clustertest.OnCached(leaf, "list get", counting)
		surveyed := surveyLeaf(t.Context(), "rome", asking(func(string) (*cluster.Leaf, error) { return leaf, nil }))
		if surveyed.Err != nil || len(surveyed.networks) != networks {
			t.Fatalf("%d networks (%v)", len(surveyed.networks), surveyed.Err)
		}
		return count.Load()
	}
	if few, many := asked(1), asked(30); few != many {
		t.Errorf("%d reads for one network, %d for thirty", few, many)
	}
}
