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
		state     *shortcutModel
		isWarning bool
	}{
		"a new shortcut":         {&shortcutModel{}, false},
		"a recorded shortcut":    {joining("rome", "turin"), true},
		"a leaf with a new name": {joining("rome", "torino"), false},
	} {
		t.Run(name, func(t *testing.T) {
			lost := &cluster.UnknownNameError{Name: "turin"}
			trouble := leaves.planTrouble(t.Context(), "turin", test.state.serverEnd().leaf(), lost)
			isWarning := trouble.Severity() == diag.SeverityWarning
			if trouble.Summary() != "Unknown leaf turin" || isWarning != test.isWarning {
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

func TestANewNameIsKnownOnlyIfItsLeafHasAnswered(t *testing.T) {
	state := joining("rome", "milan")
	answered := pair{client: cluster.Absent("roma", "rome")}
	for name, test := range map[string]struct {
		pair     pair
		plan     *shortcutModel
		expected bool
	}{
		"no new name":                 {pair{}, joining("rome", "milan"), true},
		"its leaf has answered":       {answered, joining("roma", "milan"), true},
		"its leaf has not answered":   {pair{}, joining("roma", "milan"), false},
		"one of two has not answered": {answered, joining("roma", "milano"), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.pair.knowsNewNames(test.plan, state); got != test.expected {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestALeafIsUnknownWhileItsNameOrItsCredentialsAre(t *testing.T) {
	leaves := &leaves{unknown: unknownNames{names: map[string]bool{"turin": true}}}
	rome, milan, turin, later := types.StringValue("rome"), types.StringValue("milan"), types.StringValue("turin"),
		types.StringUnknown()
	for expected, pairs := range map[bool][][]types.String{
		false: {{rome, milan}},
		true:  {{rome, turin}, {turin, rome}, {rome, later}, {later, rome}},
	} {
		for _, names := range pairs {
			if got := leaves.unknownAny(names...); got != expected {
				t.Errorf("%v: unknown: %t", names, got)
			}
		}
	}
}
