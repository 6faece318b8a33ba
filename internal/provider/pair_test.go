package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestALeafThatFailsIsReportedAtItsAttribute(t *testing.T) {
	diags := pair{clientErr: refused("rome"), serverErr: unanswered()}.errors()
	if len(diags) != 2 || !slices.Equal(at(diags, diag.SeverityError), []string{"client", "server"}) {
		t.Fatalf("got %v", diags)
	}
	clustertest.Has(t, diags[0].Summary(), `The API server refuses the credentials on leaf "rome"`)
	clustertest.Has(t, diags[1].Detail(), "connection refused")
}

func TestOneErrorForBothLeavesIsReportedOnce(t *testing.T) {
	err := refused("common")
	fails := func(context.Context, string) (*cluster.Leaf, error) { return nil, err }
	if diags := connectBoth(t.Context(), fails, "common", "common").errors(); len(diags) != 1 {
		t.Errorf("got %v", diags)
	}
}

func TestTwoClustersWithOneIDAreNotAPair(t *testing.T) {
	rome, milan := cluster.Absent("rome", "r"), cluster.Absent("milan", "r")
	rome.UID, milan.UID = "1", "2"
	diags := pair{client: rome, server: milan}.differ()
	if len(diags) != 1 || diags[0].Summary() != "Two clusters with the same ID" ||
		!strings.Contains(diags[0].Detail(), `gives both the ID "r"`) {
		t.Errorf("got %v", diags)
	}
}

func TestANameOfAnotherClusterIsRejectedAtItsAttribute(t *testing.T) {
	rome, milan := cluster.Absent("rome", "rome"), cluster.Absent("milan", "milan-2")
	milan.UID = "another"
	diags := pair{client: rome, server: milan}.mustBe(t.Context(), joining("milan"))
	if len(diags) != 1 || !slices.Equal(at(diags, diag.SeverityError), []string{"server"}) ||
		!strings.Contains(diags[0].Detail(), `"milan-2" (UID another) now, but the resource is for cluster "milan"`) {
		t.Errorf("got %v", diags)
	}
}

func TestALeafThatCannotBeFoundByItsClusterIDEitherIsUnknown(t *testing.T) {
	leaves := withClusters(t, map[string]access.Credentials{"rome": nowhere, "milan": nowhere}, unknownNames{})
	p := leaves.find(t.Context(), joining("turin"))
	if p.clientErr == nil || isUnknownName(p.clientErr) {
		t.Errorf("the client: %v", p.clientErr)
	}
	if text := fmt.Sprint(p.serverErr); !isUnknownName(p.serverErr) ||
		!strings.Contains(text, `has the cluster ID "milan"`) || cluster.Unreachable(p.serverErr) {
		t.Errorf("the server: %s", text)
	}
}
