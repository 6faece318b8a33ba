package provider

import (
	"context"
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"k8s.io/apimachinery/pkg/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// inState returns milan as a state has it, with this UID.
func inState(uid string) recordedLeaf {
	return recordedLeaf{
		attribute: "server", name: "milan", id: "milan", uid: uid,
		owns: func(context.Context, *cluster.Leaf) (bool, error) { return false, nil },
	}
}

// called returns a leaf with another name than its cluster ID.
func called(t *testing.T, name, id string) *cluster.Leaf {
	t.Helper()
	leaf := clustertest.Leaf(t, id)
	leaf.Name = name
	return leaf
}

func TestAClusterIsKnownByItsIDAndItsUID(t *testing.T) {
	reinstalled, unreadable := inState("before"), inState("before")
	reinstalled.owns = func(context.Context, *cluster.Leaf) (bool, error) { return true, nil }
	unreadable.owns = func(context.Context, *cluster.Leaf) (bool, error) { return false, errors.New("refused") }
	for name, test := range map[string]struct {
		recorded recordedLeaf
		leaf     *cluster.Leaf
		is       bool
		fails    bool
	}{
		"the same":                                   {inState("uid-of-milan"), called(t, "milano", "milan"), true, false},
		"another ID":                                 {inState("uid-of-milan"), called(t, "milan", "milan-2"), false, false},
		"the ID in another environment":              {inState("before"), clustertest.Leaf(t, "milan"), false, false},
		"Liqo installed again over the resource":     {reinstalled, clustertest.Leaf(t, "milan"), true, false},
		"Liqo installed again over something else":   {reinstalled, called(t, "milan", "milan-2"), false, false},
		"a leaf that does not say whether it has it": {unreadable, clustertest.Leaf(t, "milan"), false, true},
		"before the first apply":                     {recordedLeaf{}, clustertest.Leaf(t, "milan"), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			is, err := test.recorded.matches(t.Context(), test.leaf)
			if is != test.is || (err != nil) != test.fails {
				t.Errorf("%t (%v)", is, err)
			}
			err = test.recorded.check(t.Context(), test.leaf)
			if (err == nil) != test.is || isAnotherCluster(err) == (test.is || test.fails) {
				t.Errorf("the check says %v", err)
			}
		})
	}
}

func TestObjectsOfTheResourceProveThatItIsTheCluster(t *testing.T) {
	own := markedFor("mine", clustertest.Configuration("rome"))
	lent := markedFor("mine", clustertest.TenantNamespace("rome"))
	for name, test := range map[string]struct {
		leaf          *cluster.Leaf
		remote, token string
		expected      bool
	}{
		"a Configuration":     {clustertest.Leaf(t, "milan", own), "rome", "mine", true},
		"a tenant namespace":  {clustertest.Leaf(t, "milan", lent), "rome", "mine", true},
		"of another resource": {clustertest.Leaf(t, "milan", own, lent), "rome", "yours", false},
		"for another cluster": {clustertest.Leaf(t, "milan", own, lent), "turin", "mine", false},
		"of nobody":           {clustertest.Leaf(t, "milan", clustertest.Configuration("rome")), "rome", "", false},
		"nothing":             {clustertest.Leaf(t, "milan"), "rome", "mine", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := hasOwn(test.remote, test.token)(t.Context(), test.leaf); err != nil || got != test.expected {
				t.Errorf("%t (%v)", got, err)
			}
		})
	}
}

func TestOnlyAnAttributeThatChangesForcesAReplacement(t *testing.T) {
	leaf, recorded := clustertest.Leaf(t, "milan-2"), inState("before")
	if got := replacedAttribute("server_", leaf, recorded); !got.Equal(path.Root("server_cluster_id")) {
		t.Errorf("for another ID: %s", got)
	}
	leaf.ID, leaf.UID = "milan", types.UID("after")
	if got := replacedAttribute("server_", leaf, recorded); !got.Equal(path.Root("server_cluster_uid")) {
		t.Errorf("for another UID: %s", got)
	}
}
