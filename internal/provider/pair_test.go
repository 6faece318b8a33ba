package provider

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// unanswered is the error if milan does not answer. refused is the error if a leaf refuses the credentials.
func unanswered() error {
	return cluster.Absent("milan", "").Explain(
		&url.Error{Op: "Get", URL: "https://milan.example", Err: syscall.ECONNREFUSED},
	)
}

func refused(name string) error {
	return cluster.Found(trouble.Problem{
		ID: "credentials-refused", Leaf: name, Summary: "the API server refuses the credentials",
		Err: errors.New("Unauthorized"),
	})
}

func TestALeafThatFailsIsReportedAtItsAttribute(t *testing.T) {
	diags := pair{clientErr: refused("rome"), serverErr: unanswered()}.errors()
	if len(diags) != 2 || !slices.Equal(at(diags, diag.SeverityError), []string{"client", "server"}) {
		t.Fatalf("got %v", diags)
	}
	mentions(t, diags[0].Summary(), `The API server refuses the credentials on leaf "rome"`)
	mentions(t, diags[1].Detail(), "connection refused")
}

func TestALostLeafIsAWarningOfARefreshAndADestroySaysHowToGiveItUp(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		lost bool
	}{
		"lost":    {unanswered(), true},
		"refused": {refused("milan"), false},
	} {
		t.Run(name, func(t *testing.T) {
			failed := pair{serverErr: test.err}
			troubles, obstacles := failed.troubles("The plan continues."), failed.obstacles(giveUpAdvice)
			if len(troubles) != 1 || troubles.HasError() == test.lost ||
				strings.HasSuffix(beforeHelp(t, troubles[0]), "\n\nThe plan continues.") != test.lost {
				t.Errorf("a refresh says: %v", troubles)
			}
			if len(obstacles) != 1 || !obstacles.HasError() ||
				strings.Contains(obstacles[0].Detail(), "`abandon_lost_cluster = true`") != test.lost {
				t.Errorf("a destroy says: %v", obstacles)
			}
		})
	}
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
	diags := pair{client: rome, server: milan}.mustBe(t.Context(), joining("rome", "milan"))
	if len(diags) != 1 || !slices.Equal(at(diags, diag.SeverityError), []string{"server"}) ||
		!strings.Contains(diags[0].Detail(), `"milan-2" (UID another) now, but the resource is for cluster "milan"`) {
		t.Errorf("got %v", diags)
	}
}
