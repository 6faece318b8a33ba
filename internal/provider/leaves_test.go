package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// joining returns a recorded shortcut of the clusters rome and milan, whose leaves have these names.
func joining(client, server string) *shortcutModel {
	return &shortcutModel{
		Client: types.StringValue(client), Server: types.StringValue(server),
		ClientClusterID: types.StringValue("rome"), ServerClusterID: types.StringValue("milan"),
	}
}

func TestALostLeafIsAnErrorOfAPlanUnlessTheStateHasItUnderThisName(t *testing.T) {
	leaves := withClusters(t, map[string]access.Credentials{"rome": nowhere}, unknownNames{})
	for name, test := range map[string]struct {
		state    *shortcutModel
		severity diag.Severity
	}{
		"a new shortcut":         {&shortcutModel{}, diag.SeverityError},
		"a recorded shortcut":    {joining("rome", "turin"), diag.SeverityWarning},
		"a leaf with a new name": {joining("rome", "torino"), diag.SeverityError},
	} {
		t.Run(name, func(t *testing.T) {
			lost := &cluster.UnknownNameError{Name: "turin"}
			trouble := leaves.planTrouble(t.Context(), "turin", test.state.serverEnd().leaf(), lost)
			if trouble.Summary() != "Unknown leaf turin" || trouble.Severity() != test.severity {
				t.Errorf("got %v", trouble)
			}
		})
	}
}

func TestALeafThatCannotBeFoundByItsClusterIDEitherIsUnknown(t *testing.T) {
	leaves := withClusters(t, map[string]access.Credentials{"rome": nowhere, "milan": nowhere}, unknownNames{})
	p := leaves.find(t.Context(), joining("rome", "turin"))
	if p.clientErr == nil || isUnknownName(p.clientErr) {
		t.Errorf("the client: %v", p.clientErr)
	}
	if text := fmt.Sprint(p.serverErr); !isUnknownName(p.serverErr) ||
		!strings.Contains(text, `has the cluster ID "milan"`) || cluster.Unreachable(p.serverErr) {
		t.Errorf("the server: %s", text)
	}
}
