package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestTheStateDecidesWhoseAnInstanceIs(t *testing.T) {
	mine, unmarked := types.StringValue("mine"), types.StringNull()
	claiming := func(token string) ownership { return ownership{Token: token, Claims: true} }
	for name, test := range map[string]struct {
		saved    ownership // in the private state; empty for none
		id       types.String
		expected ownership
	}{
		"made here":                           {ownership{Token: "mine"}, mine, ownership{Token: "mine"}},
		"whose provider was killed":           {ownership{}, mine, ownership{Token: "mine"}},
		"tainted":                             {ownership{Token: "replacement"}, mine, ownership{Token: "mine"}},
		"imported":                            {claiming("mine"), unmarked, claiming("mine")},
		"imported, whose provider was killed": {ownership{}, unmarked, ownership{Claims: true, Imported: true}},
		"imported and tainted":                {ownership{Token: "replacement"}, unmarked, claiming("replacement")},
		"of a request that was imported":      {claiming("mine"), mine, claiming("mine")},
	} {
		t.Run(name, func(t *testing.T) {
			private := kept{}
			if test.saved != (ownership{}) {
				sound(t, test.saved.save(t.Context(), private))
			}
			own, diags := ownershipOf(t.Context(), private, test.id)
			if diags.HasError() || own != test.expected || own.owner(owner.Origin{}).Claims != test.expected.Claims {
				t.Errorf("got %+v (%v)", own, diags)
			}
		})
	}
	if _, diags := savedOwnership(t.Context(), kept{ownerKey: "{"}); !diags.HasError() {
		t.Error("what can't be read is no error")
	}
}

func TestAnImportedShortcutGetsTheTokenOfItsOwner(t *testing.T) {
	madeByOne := markedFor("one", clustertest.Configuration("milan"))
	for name, test := range map[string]struct {
		before ownership
		token  string // expected; empty for any
		claims bool
	}{
		"just imported":          {ownership{Claims: true, Imported: true}, "one", true},
		"imported and refreshed": {ownership{Token: "another", Claims: true}, "another", true},
		"made here":              {ownership{Token: "another"}, "another", false},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := kept{}, kept{}
			sound(t, test.before.save(t.Context(), before))
			joined := pair{client: clustertest.Leaf(t, "rome", madeByOne), server: clustertest.Leaf(t, "milan")}
			own, diags := privateStates{before, after}.recognise(t.Context(), test.before.id(), joined.maker)
			if diags.HasError() || own.Token != test.token || own.owner(owner.Origin{}).Claims != test.claims || own.Imported {
				t.Errorf("got %+v (%v)", own, diags)
			}
			if saved, _ := savedOwnership(t.Context(), after); test.before.Imported && saved != own {
				t.Errorf("saved %+v", saved)
			}
		})
	}
}

func TestAnOwnerRecordsWhereTerraformRuns(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "network")
	for _, data := range []string{".terraform", "elsewhere"} {
		must(t, os.MkdirAll(filepath.Join(directory, data), 0o700))
		must(t, os.WriteFile(filepath.Join(directory, data, "environment"), []byte("of "+data+"\n"), 0o600))
	}
	t.Chdir(directory)
	for expected, environment := range map[string]map[string]string{
		"of .terraform": {},
		"of elsewhere":  {"TF_DATA_DIR": "elsewhere"},
		"by name":       {"TF_DATA_DIR": "elsewhere", "TF_WORKSPACE": "by name"},
		"default":       {"TF_DATA_DIR": "nowhere"},
	} {
		t.Run(expected, func(t *testing.T) {
			for _, name := range []string{"TF_DATA_DIR", "TF_WORKSPACE"} {
				t.Setenv(name, environment[name])
			}
			origin := here()
			if origin.Directory != "network" || origin.Workspace != expected || time.Since(origin.CreatedAt) > time.Minute ||
				!strings.Contains(origin.CreatedBy, "@") {
				t.Errorf("expected workspace %q, got %+v", expected, origin)
			}
		})
	}
}

func TestAnOriginWithoutAnAuthorHasNoNamesAndStillTellsDirectoriesApart(t *testing.T) {
	named := (&leaves{}).origin()
	if named.CreatedBy == "" || named.Directory == "" || named.Workspace == "" {
		t.Fatalf("by default, the origin is %+v", named)
	}
	hidden := (&leaves{hideAuthor: true}).origin()
	for _, name := range []string{named.CreatedBy, named.Directory, named.Workspace} {
		if strings.Contains(hidden.String(), name) {
			t.Errorf("%q is in %q", name, hidden)
		}
	}
	elsewhere := named
	elsewhere.Directory = "elsewhere"
	if !hidden.MayShareState(withoutNames(named)) || hidden.MayShareState(withoutNames(elsewhere)) {
		t.Errorf("%+v and %+v", hidden, withoutNames(elsewhere))
	}
}
