package provider

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// unanswered is the error of Milan when it does not answer, refused that of a leaf that refuses the credentials.
func unanswered() error {
	return cluster.Absent("milan", "").Explain(&url.Error{Op: "Get", URL: "https://milan.example", Err: errors.New("connection refused")})
}

func refused(name string) error {
	return &cluster.Error{Leaf: name, Summary: "the API server refuses the credentials", Err: errors.New("Unauthorized")}
}

// at is the attribute that a diagnostic points at.
func at(diagnostic diag.Diagnostic) path.Path {
	if located, ok := diagnostic.(diag.DiagnosticWithPath); ok {
		return located.Path()
	}
	return path.Empty()
}

func TestALeafThatFailsIsToldAtTheAttributeThatNamesIt(t *testing.T) {
	diags := pair{clientErr: refused("rome"), serverErr: unanswered()}.errors()
	if len(diags) != 2 || diags.ErrorsCount() != 2 || !at(diags[0]).Equal(path.Root("client")) || !at(diags[1]).Equal(path.Root("server")) {
		t.Fatalf("it says: %v", diags)
	}
	if diags[0].Summary() != `The API server refuses the credentials on leaf "rome"` || !strings.Contains(diags[1].Detail(), "connection refused") {
		t.Errorf("it says: %v", diags)
	}
}

func TestALostLeafIsAWarningWhereNothingNeedsItAndADestroySaysHowToGiveItUp(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		lost bool
	}{
		"lost":    {unanswered(), true},
		"refused": {refused("milan"), false},
	} {
		failed := pair{serverErr: test.err}
		troubles, obstacles := failed.troubles("So be it."), failed.obstacles()
		if len(troubles) != 1 || troubles.HasError() == test.lost || strings.HasSuffix(troubles[0].Detail(), "\n\nSo be it.") != test.lost {
			t.Errorf("%s: a refresh says: %v", name, troubles)
		}
		if len(obstacles) != 1 || !obstacles.HasError() || strings.Contains(obstacles[0].Detail(), "`force_destroy = true`") != test.lost {
			t.Errorf("%s: a destroy says: %v", name, obstacles)
		}
	}
}

func TestOneErrorForTwoLeavesIsToldOnce(t *testing.T) {
	err := refused("common")
	if diags := (pair{clientErr: err, serverErr: err}).errors(); len(diags) != 1 {
		t.Errorf("it says: %v", diags)
	}
}

func TestTwoNamesForOneClusterAreNoPair(t *testing.T) {
	rome, roma := cluster.Absent("rome", "r"), cluster.Absent("roma", "r")
	diags := pair{client: rome, server: roma}.differ()
	if len(diags) != 1 || !at(diags[0]).Equal(path.Root("server")) || !strings.Contains(diags[0].Detail(), `"rome" and "roma" both stand for cluster "r"`) {
		t.Errorf("it says: %v", diags)
	}
	if diags := (pair{client: rome, server: cluster.Absent("milan", "m")}).differ(); len(diags) > 0 {
		t.Errorf("it says: %v", diags)
	}
}

func TestANameThatStandsForAnotherClusterIsRefusedAtItsAttribute(t *testing.T) {
	recorded := joining("rome", "milan")
	diags := pair{client: cluster.Absent("rome", "rome"), server: cluster.Absent("milan", "milan-2")}.mustBe(recorded)
	if len(diags) != 1 || !at(diags[0]).Equal(path.Root("server")) || !strings.Contains(diags[0].Detail(), `"milan-2" now; the shortcut joins cluster "milan"`) {
		t.Errorf("it says: %v", diags)
	}
}

func TestALeafIsGivenUpOnlyByForceOrIfItIsAnotherCluster(t *testing.T) {
	for name, test := range map[string]struct {
		pair   pair
		forced bool
		gone   bool
	}{
		"it answers":                   {pair{server: cluster.Absent("milan", "milan")}, true, false},
		"another has its name":         {pair{server: cluster.Absent("milan", "milan-2")}, false, true},
		"it is lost":                   {pair{serverErr: unanswered()}, false, false},
		"it is lost, and given up":     {pair{serverErr: unanswered()}, true, true},
		"it refuses, and is given up?": {pair{serverErr: refused("milan")}, true, false},
	} {
		model := joining("rome", "milan")
		model.ForceDestroy = types.BoolValue(test.forced)
		mirrored := pair{client: test.pair.server, clientErr: test.pair.serverErr}
		ofClient := joining("milan", "rome")
		ofClient.ClientClusterID, ofClient.ForceDestroy = types.StringValue("milan"), types.BoolValue(test.forced)
		if test.pair.serverGone(model) != test.gone || mirrored.clientGone(ofClient) != test.gone {
			t.Errorf("%s: the server is gone: %t, the client: %t", name, test.pair.serverGone(model), mirrored.clientGone(ofClient))
		}
	}
}

func TestALeafOfAVersionThatIsTooOldIsRefusedAtItsAttribute(t *testing.T) {
	if diags := checkVersions(t.Context(), pair{client: clustertest.Leaf(t, "rome"), server: clustertest.Leaf(t, "milan")}); len(diags) > 0 {
		t.Errorf("a version that can't be told is refused: %v", diags)
	}
}
