package provider

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

func endpointsList(all ...direct.Endpoint) types.List {
	values := make([]attr.Value, len(all))
	for i, endpoint := range all {
		values[i] = endpointValue(endpoint)
	}
	return types.ListValueMust(types.ObjectType{AttrTypes: directEndpointTypes}, values)
}

func TestALeafThatCannotBeReadKeepsTheEndpointsThatWereKnown(t *testing.T) {
	old := direct.Endpoint{Leaf: "rome", Pod: "a", Cluster: "milan", Address: "10.0.0.1", Path: direct.Direct}
	now := direct.Endpoint{
		Leaf: "milan", Pod: "b", Cluster: "rome", Address: "10.0.0.2", Path: direct.Central, Problem: "why",
	}
	gone := now
	gone.Pod = "gone"
	model := directServiceModel{
		Namespace: types.StringValue("shop"), Name: types.StringValue("web"), Endpoints: endpointsList(gone, old),
	}
	service := direct.New(clustertest.Leaf(t, "europe"), "shop", "web", nil)
	model.observed(service, direct.State{
		Request: direct.Request{Set: true},
		Leaves: []direct.LeafState{
			{Name: "milan", Endpoints: []direct.Endpoint{now}}, {Name: "rome", Err: errors.New("away")},
		},
	})
	if expected := endpointsList(now, old); !model.Endpoints.Equal(expected) {
		t.Errorf("got %s", model.Endpoints)
	}
	shows(t, map[string][2]any{
		"id": {model.ID, `"europe/shop/web"`}, "cluster_id": {model.ClusterID, `"europe"`},
		"status": {model.Status, `"Partial"`},
	})
}

func TestAnUpdateIsPlannedOnlyIfAnApplyCanRepairSomething(t *testing.T) {
	for status, repairs := range map[direct.Status]bool{
		direct.Followed: false, direct.Partial: false, direct.Outdated: true, direct.Undone: true,
	} {
		t.Run(string(status), func(t *testing.T) {
			state := directServiceModel{Status: types.StringValue(string(status)), Endpoints: endpointsList()}
			plan := directServiceModel{Status: types.StringUnknown()}
			plan.planUpdate(&state)
			if plan.Status.IsUnknown() != repairs || plan.Endpoints.IsUnknown() != repairs {
				t.Errorf("planned are %s, %s", plan.Status, plan.Endpoints)
			}
		})
	}
}

func TestAPlanWarnsOfEachLeafThatCannotFollow(t *testing.T) {
	of := func(leaf string) trouble.Problem {
		return trouble.Problem{Leaf: leaf, Summary: fmt.Sprintf("leaf %q can't use direct connections", leaf)}
	}
	missing := direct.Obstacle{Problem: of("milan"), Missing: [2]string{"milan", "rome"}}
	denied := direct.Obstacle{Problem: of("rome")}
	observed := direct.State{Leaves: []direct.LeafState{
		{Name: "milan", Obstacles: []direct.Obstacle{missing}}, {Name: "rome", Obstacles: []direct.Obstacle{denied}},
		{Name: "naples", Err: &cluster.UnknownIDError{ID: "naples"}},
	}}
	var planned reservations
	for _, expected := range []string{
		`Leaf "milan" can't use direct connections; Leaf "rome" can't use direct connections; ` +
			`The provider block has no cluster with the ID "naples"`,
		`Leaf "rome" can't use direct connections; The provider block has no cluster with the ID "naples"`,
	} {
		if got := summaries(warnings(observed, planned.joins)); got != expected {
			t.Errorf("got %s", got)
		}
		planned.reserve(reservation{first: "milan", second: "rome"}, "token") // the plan of a shortcut
	}
	closed := direct.State{
		Leaves: []direct.LeafState{{Name: "milan"}}, LimitsUnread: errors.New("no permission"),
		Closed: []*trouble.Problem{{Leaf: "milan", Summary: "connections are dropped"}},
	}
	said := warnings(closed, nil)
	if summaries(said) != `Connections are dropped on leaf "milan"; The allowed traffic can't be read` || said.HasError() {
		t.Errorf("with closed ports: %v", said)
	}
	if got := summaries(warnings(direct.State{}, nil)); got != "The namespace is not offloaded" {
		t.Errorf("without leaves: %s", got)
	}
}

func TestTheClusterOfAnImportIDMayHaveSlashes(t *testing.T) {
	leaves := withClusters(t, map[string]access.Credentials{"arn:aws/europe": {}}, unknownNames{})
	for id, expected := range map[string][4]string{
		"rome/shop/web":           {"rome", "", "shop", "web"},
		"arn:aws/europe/shop/web": {"arn:aws/europe", "", "shop", "web"},
		"some-id/shop/web":        {"", "some-id", "shop", "web"},
		"shop/web":                {"", "", "", ""},
	} {
		t.Run(id, func(t *testing.T) {
			name, identity := leaves.readDirectServiceID(id)
			got := [4]string{
				name, identity.ClusterID.ValueString(), identity.Namespace.ValueString(), identity.Name.ValueString(),
			}
			if got != expected {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestAnImportOfAServiceOfAnUnknownClusterSaysWhatItsIDMustBe(t *testing.T) {
	for id, expected := range map[string]string{
		"shop/web":         "Invalid import ID",
		"turin/shop/web":   "Unknown cluster",
		"nowhere/shop/web": `Credentials can't be used on leaf "nowhere"`,
	} {
		t.Run(id, func(t *testing.T) {
			_, _, diags := withClusters(t, map[string]access.Credentials{"nowhere": nowhere}, unknownNames{}).
				importedService(t.Context(), resource.ImportStateRequest{ID: id})
			said := fmt.Sprint(diags)
			hint := strings.Contains(said, "The import ID must be `cluster/namespace/name`")
			if !strings.Contains(said, expected) || hint == strings.HasPrefix(expected, "Credentials") {
				t.Errorf("expected %s, got: %s", expected, said)
			}
		})
	}
}

func TestAnImportOfAServiceSaysThatTheCentreIsNotKnownYet(t *testing.T) {
	leaves := withClusters(t, nil, unknownNames{names: map[string]bool{"europe": true}})
	for _, id := range []string{"europe/shop/web", "some-id/shop/web"} {
		_, _, diags := leaves.importedService(t.Context(), resource.ImportStateRequest{ID: id})
		if summaries(diags) != "The leaves are not known yet" {
			t.Errorf("%s: %v", id, diags)
		}
	}
}
