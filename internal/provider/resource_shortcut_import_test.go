package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestAnImportIDIsSplitIntoTwoKnownNames(t *testing.T) {
	const eksRome, eksMilan = "arn:aws:eks:eu-west-1:111122223333:cluster/rome",
		"arn:aws:eks:eu-west-1:111122223333:cluster/milan"
	all := map[string]access.Credentials{}
	for _, name := range []string{"rome", "milan", "a", "a/b", "b/c", "c", eksRome, eksMilan} {
		all[name] = nowhere
	}
	for id, expected := range map[string][]string{
		"rome/milan":             {`leaf "rome": credentials can't be used`, `leaf "milan": credentials can't be used`},
		eksRome + "/" + eksMilan: {`leaf "` + eksRome + `"`, `leaf "` + eksMilan + `"`},
		"milan/" + eksRome:       {`leaf "milan"`, `leaf "` + eksRome + `"`},

		"a/b/c":        {"Ambiguous import ID", `client "a" and server "b/c", or client "a/b" and server "c"`},
		"rome":         {"Invalid import ID", `The known names are ["a" "a/b"`},
		"rome/a/turin": {"Invalid import ID", `The known names are ["a" "a/b"`},
		"/rome":        {"Invalid import ID"},
		"rome/turin":   {"Unknown client", `has the cluster ID "rome"`, "Unknown server", `has the cluster ID "turin"`},
	} {
		t.Run(id, func(t *testing.T) {
			pair, diags := withClusters(t, all, unknownNames{}).imported(t.Context(), resource.ImportStateRequest{ID: id})
			said := fmt.Sprint(append(diags, pair.errors()...))
			for _, failure := range []error{pair.clientErr, pair.serverErr} {
				said += fmt.Sprintf(" %v", failure)
			}
			clustertest.Has(t, said, expected...)
		})
	}
}

func TestAnImportFailsIfTheCredentialsOfALeafAreNotKnownYet(t *testing.T) {
	leaves := withClusters(
		t, map[string]access.Credentials{"rome": nowhere},
		unknownNames{names: map[string]bool{"milan": true}, known: map[string]bool{"rome": true}},
	)
	_, diags := leaves.imported(t.Context(), resource.ImportStateRequest{ID: "rome/milan"})
	if !diags.HasError() || diags[0].Summary() != "The leaves are not known yet" {
		t.Errorf("got %v", diags)
	}
}
