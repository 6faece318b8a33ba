package provider

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// beforeHelp returns the text of a diagnostic without the addresses at its end. There must be one.
func beforeHelp(t *testing.T, diagnostic diag.Diagnostic) string {
	t.Helper()
	text, addresses, ok := strings.Cut(diagnostic.Detail(), "\n\nHelp:\n  https://")
	if !ok || !strings.Contains(addresses, "/troubleshooting.md#") {
		t.Errorf("no address ends the text %q", diagnostic.Detail())
	}
	return text
}

func TestAMessageEndsWithTheAddressOfEachProblemInIt(t *testing.T) {
	taken := &trouble.Problem{ID: "namespace-taken", Leaf: "milan", Summary: "namespace x is taken", Advice: "By y."}
	for name, test := range map[string]struct {
		err      error
		headline string
		ids      []trouble.ID
	}{
		"an error of the leaf": {
			refused("rome"), `The API server refuses the credentials on leaf "rome"`, []trouble.ID{"credentials-refused"},
		},
		"a problem":               {taken, `Namespace x is taken on leaf "milan"`, []trouble.ID{"namespace-taken"}},
		"an error without a name": {errors.New("no"), "The thing failed", []trouble.ID{"thing-failed"}},
		"a name without a cluster": {
			&cluster.UnknownNameError{Name: "roma"}, "Unknown leaf roma", []trouble.ID{"leaf-unknown"},
		},
		"two problems": {
			errors.Join(taken, refused("rome")), `Namespace x is taken on leaf "milan"`,
			[]trouble.ID{"namespace-taken", "credentials-refused"},
		},
		"the same trouble twice": {
			errors.Join(refused("rome"), refused("milan")), `The API server refuses the credentials on leaf "rome"`,
			[]trouble.ID{"credentials-refused"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := failureOf("thing-failed", "The thing failed", test.err, "Nothing was changed.").errorAt(path.Root("client"))
			_, addresses, _ := strings.Cut(found.Detail(), "\n\nNothing was changed.\n\nHelp:\n  ")
			var want []string
			for _, id := range test.ids {
				want = append(want, id.Page())
			}
			if found.Summary() != test.headline || !slices.Equal(strings.Split(addresses, "\n  "), want) {
				t.Errorf("got %s\n%s", found.Summary(), found.Detail())
			}
		})
	}
}

func TestAMessageWithoutEntriesIsItsText(t *testing.T) {
	if got := report(trouble.NoEntry, "No such name", "Set `name`.").asError().Detail(); got != "Set `name`." {
		t.Errorf("got %q", got)
	}
}

func TestDiagnosticsAsOneErrorHaveNoAddresses(t *testing.T) {
	err := asError(diag.Diagnostics{
		report("a-b", "One", "First.").asError(), report("c-d", "Two", "Second.").asWarning(),
		report("e-f", "Three", "Third.").asError(),
	})
	if got := fmt.Sprint(err); got != "One: First.\nThree: Third." {
		t.Errorf("got %q", got)
	}
}
