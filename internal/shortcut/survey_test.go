package shortcut

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// among connects to leaves with these names and objects. A leaf with nil does not answer.
func among(t *testing.T, held map[string][]client.Object) Ask {
	t.Helper()
	leaves := map[string]*cluster.Leaf{}
	for name, objects := range held {
		if objects != nil {
			leaves[name] = clustertest.Leaf(t, name, objects...)
		}
	}
	return asking(func(name string) (*cluster.Leaf, error) {
		if leaf := leaves[name]; leaf != nil {
			return leaf, nil
		}
		return nil, errors.New("no answer")
	})
}

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
	survey := NewSurvey(t.Context(), []string{"rome", "milan", "europe", "naples"}, among(t, map[string][]client.Object{
		"europe": slices.Concat(clustertest.ServerEnd("rome", up), clustertest.ServerEnd("milan", up),
			[]client.Object{clustertest.Peering("milan", liqov1beta1.ProviderRole)}),
		"rome": slices.Concat(clustertest.ClientEnd("europe", up), byProvider(clustertest.ClientEnd("milan", up)),
			byProvider(clustertest.ServerEnd("naples", failed))),
		"milan": slices.Concat(clustertest.ClientEnd("europe", up), byProvider(clustertest.ServerEnd("rome", up)),
			[]client.Object{clustertest.Configuration("elsewhere")}),
		"naples": clustertest.ClientEnd("rome", up),
	}))
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
	survey := NewSurvey(t.Context(), []string{"europe", "milan", "rome"}, among(t, map[string][]client.Object{
		"europe": slices.Concat(clustertest.ServerEnd("milan", up), clustertest.ServerEnd("rome", up),
			[]client.Object{clustertest.Peering("milan", liqov1beta1.ConsumerRole)}),
		"milan": nil,
		"rome":  clustertest.ClientEnd("europe", up),
	}))
	expected := []string{"milan>europe Unknown peering", "rome>europe Connected other"}
	if got := said(survey.Networks()); !slices.Equal(got, expected) {
		t.Errorf("got      %q\nexpected %q", got, expected)
	}
	if milan := survey.Leaves[1]; milan.Name != "milan" || milan.Err == nil || milan.ClusterID != "" ||
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
			survey := NewSurvey(t.Context(), []string{"rome", "europe"}, among(t, held))
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

func TestAShortcutIsNotAPeering(t *testing.T) {
	foreignCluster := clustertest.Peering("milan", liqov1beta1.UnknownRole)
	foreignCluster.Status.Modules = liqov1beta1.Modules{Networking: liqov1beta1.Module{Enabled: true}}
	survey := NewSurvey(t.Context(), []string{"rome", "milan"}, among(t, map[string][]client.Object{
		"rome":  append(clustertest.ClientEnd("milan", up), foreignCluster),
		"milan": clustertest.ServerEnd("rome", up),
	}))
	if got := said(survey.Networks()); len(peered(survey)) != 0 ||
		!slices.Equal(got, []string{"rome>milan Connected other"}) {
		t.Errorf("got %q and %+v", got, peered(survey))
	}
}

func TestAnIncompleteNetworkIsDisconnected(t *testing.T) {
	for name, test := range map[string]struct {
		atMilan, atRome []client.Object
		expected        []string
	}{
		"Configurations": {[]client.Object{clustertest.Configuration("rome")},
			[]client.Object{clustertest.Configuration("milan")}, []string{"milan>rome Disconnected other"}},
		"a gateway": {[]client.Object{clustertest.GatewayServer("rome", 51840)},
			[]client.Object{}, []string{"rome>milan Disconnected other"}},
		"one end": {[]client.Object{}, byProvider(clustertest.ClientEnd("milan", up)),
			[]string{"rome>milan Disconnected terraform-provider-liqo"}},
		"what Liqo itself will take away": {clustertest.ClientEnd("rome", up)[3:], []client.Object{}, []string{}},
		"a second object of the same kind": {append(clustertest.ServerEnd("rome", up), second()),
			clustertest.ClientEnd("milan", up), []string{"rome>milan Connected other"}},
	} {
		t.Run(name, func(t *testing.T) {
			survey := NewSurvey(t.Context(), []string{"rome", "milan"},
				among(t, map[string][]client.Object{"milan": test.atMilan, "rome": test.atRome}))
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
			survey := NewSurvey(t.Context(), []string{"rome", "milan"}, among(t, map[string][]client.Object{
				"rome":  clustertest.ClientEnd("milan", measured(test.client)),
				"milan": clustertest.ServerEnd("rome", measured(test.server)),
			}))
			if got := survey.Networks()[0].Latency; got == nil || got.Milliseconds() != test.expected {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestASurveyHasTheOwnerAndTheEndpointOfANetwork(t *testing.T) {
	owned := func(objects []client.Object) []client.Object {
		for _, object := range objects[:3] {
			killed.Mark(object)
		}
		return objects
	}
	atRome, atMilan := clustertest.ClientEnd("milan", up), clustertest.ServerEnd("rome", up)
	atMilan[1].(*networkingv1beta1.GatewayServer).Spec.MTU = 1400 //nolint:errcheck,forcetypeassert // the second is
	for _, complete := range []bool{false, true} {
		objects := owned(atMilan)
		if !complete {
			objects = append(objects, leftBehind(false))
		}
		survey := NewSurvey(t.Context(), []string{"rome", "milan"}, among(t, map[string][]client.Object{
			"rome": owned(atRome), "milan": objects,
		}))
		link := survey.Networks()[0]
		if owners := link.Owners; len(owners) != 1 || owners[0].Origin != killed.Origin ||
			owners[0].Complete != complete {
			t.Errorf("complete: %t: the owners are %+v", complete, owners)
		}
		if link.MTU != 1400 || link.ServerEndpoint == nil || link.ServerEndpoint.Port != 31000 ||
			link.Client != (Cluster{"rome", "rome"}) {
			t.Errorf("got %+v", link)
		}
	}
	unowned := NewSurvey(t.Context(), []string{"rome", "milan"},
		among(t, map[string][]client.Object{"rome": clustertest.ClientEnd("milan", up), "milan": {}}))
	if link := unowned.Networks()[0]; len(link.Owners) > 0 || link.MTU != 1340 || link.ServerEndpoint != nil {
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
	survey := NewSurvey(t.Context(), []string{"rome", "milan"}, among(t, map[string][]client.Object{
		"rome":  mark(clustertest.ClientEnd("milan", up), somebody, me, ofEnd),
		"milan": mark(clustertest.ServerEnd("rome", up), me),
	}))
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
	}
	if !reflect.DeepEqual(link.Owners, expected) {
		t.Errorf("got %+v", link.Owners)
	}
}

func TestTheErrorOfALeafNamesAMissingPermission(t *testing.T) {
	leaf := clustertest.Leaf(t, "rome")
	clustertest.Fail[any](leaf, "list", apierrors.NewForbidden(schema.GroupResource{Resource: "foreignclusters"}, "", nil))
	survey := NewSurvey(t.Context(), []string{"rome"},
		asking(func(string) (*cluster.Leaf, error) { return leaf, nil }))
	if err := survey.Leaves[0].Err; err == nil || !strings.Contains(err.Error(), "foreignclusters") ||
		!strings.Contains(err.Error(), `leaf "rome"`) {
		t.Errorf("got: %v", err)
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
