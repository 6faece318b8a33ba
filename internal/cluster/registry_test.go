package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/access/accesstest"
)

func TestAnUnknownNameIsAnsweredWithTheNamesThereAreAndTheFileThatWasRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, os.WriteFile(path, []byte(accesstest.Kubeconfig), 0o600))
	registry := NewRegistry(Config{
		Kubeconfig: access.Kubeconfig{Paths: []string{path}},
		Clusters:   map[string]access.Credentials{"roma": {Context: "rome"}},
	})
	defer registry.Close()
	_, err := registry.Leaf(t.Context(), "turin")
	if _, ok := errors.AsType[*UnknownNameError](err); !ok {
		t.Fatalf("got: %v", err)
	}
	has(t, err.Error(), `"turin"`, `"roma"`, `"rome"`, `"milan"`, "nor a context of kubeconfig "+path)
}

func TestCredentialsAreFoundByName(t *testing.T) {
	own := access.Kubeconfig{Content: strings.ReplaceAll(accesstest.Kubeconfig, "example", "elsewhere")}
	registry := NewRegistry(Config{
		LiqoNamespace: "liqo",
		Kubeconfig:    access.Kubeconfig{Content: accesstest.Kubeconfig}, // its current context is rome
		Clusters: map[string]access.Credentials{
			"roma":     {Context: "rome"},
			"milan":    {LiqoNamespace: "liqo-system"},
			"rome":     {Token: "another"},
			"hosted":   {Host: "https://h", Token: "t0ken"},
			"tunneled": {Host: "https://h", Context: "milan"},
			"borrowed": {ContextCluster: "milan"},
			"own":      {Kubeconfig: own},
		},
	})
	defer registry.Close()
	for name, test := range map[string]struct{ host, token, user, liqoNamespace string }{
		"roma":     {"https://rome.example:6443", "s3cret", "", "liqo"},
		"milan":    {"https://milan.example:6443", "", "guest", "liqo-system"},
		"rome":     {"https://rome.example:6443", "another", "", "liqo"},
		"hosted":   {"https://h", "t0ken", "", "liqo"},
		"tunneled": {"https://h", "", "guest", "liqo"},
		"borrowed": {"https://milan.example:6443", "s3cret", "", "liqo"},
		"own":      {"https://rome.elsewhere:6443", "s3cret", "", "liqo"},
	} {
		t.Run(name, func(t *testing.T) {
			credentials, err := registry.credentials(name)
			must(t, err)
			config, err := credentials.RESTConfig()
			must(t, err)
			if config.Host != test.host || config.BearerToken != test.token || config.Username != test.user ||
				credentials.LiqoNamespace != test.liqoNamespace {
				t.Errorf("%s is reached at %s by user %q, Liqo in %s: not as expected",
					name, config.Host, config.Username, credentials.LiqoNamespace)
			}
		})
	}
}

func TestAnEntryThatDoesNotSayWhichClusterItIsForIsNotGuessed(t *testing.T) {
	registry := NewRegistry(Config{
		Kubeconfig: access.Kubeconfig{Content: accesstest.Kubeconfig},
		Clusters: map[string]access.Credentials{
			"empty": {}, "only-liqo": {LiqoNamespace: "x"},
			"only-token": {Token: "s3cret"}, "only-user": {ContextAuthInfo: "admin"},
		},
	})
	defer registry.Close()
	for name := range registry.config.Clusters {
		_, err := registry.Leaf(t.Context(), name)
		expected := `no context "` + name + `"; it has "milan", "rome"`
		if err == nil || !strings.Contains(err.Error(), expected) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("expected %s, got: %v", expected, err)
		}
		isUnusable(t, err, name, "The entry \""+name+"\" of `clusters` does not say which cluster it is for.")
	}
}

// isUnusable fails the test unless an error says that the credentials of a leaf can't be used, with this text.
func isUnusable(t *testing.T, err error, name, text string) {
	t.Helper()
	explained, ok := errors.AsType[*Error](err)
	if !ok || explained.Leaf != name || explained.ID != "credentials-unusable" ||
		!strings.HasPrefix(explained.Detail(), text) {
		t.Errorf("%s: got %v", name, err)
	}
}

func TestACommonKubeconfigThatCannotBeUsedIsAnErrorOfTheLeaf(t *testing.T) {
	t.Setenv("HOME", "")
	for text, kubeconfig := range map[string]access.Kubeconfig{
		"Kubeconfig /nowhere can't be read: no such file or directory.": {Paths: []string{"/nowhere"}},
		"The kubeconfig in `config_content` can't be parsed.":           {Content: "clusters: [token: s3cret"},
		"~/config: the home directory is unknown: ":                     {Paths: []string{"~/config"}},
	} {
		t.Run(text, func(t *testing.T) {
			registry := NewRegistry(Config{Kubeconfig: kubeconfig})
			_, err := registry.Leaf(t.Context(), "rome")
			isUnusable(t, err, "rome", text)
			if Lost(err) {
				t.Errorf("it counts as lost: %v", err)
			}
			registry.Close()
		})
	}
}

func TestAClusterThatNobodyHasIsAnsweredWithTheLeavesThatWereAsked(t *testing.T) {
	registry := registryFor(t, access.Credentials{Host: "https://" + closedPort(t)})
	registry.config.Clusters["milan"] = access.Credentials{Kubeconfig: access.Kubeconfig{Paths: []string{"/nowhere"}}}
	const expected = `none of the leaves "milan", "rome" has the cluster ID "turin", ` +
		`but the ID of "milan", "rome" could not be read`
	if _, err := registry.LeafByID(t.Context(), "turin"); err == nil || err.Error() != expected {
		t.Errorf("got: %v", err)
	}
}

func TestTheClustersThatAreMeantWithoutNamingAnyAreTheListedOnesElseEveryContext(t *testing.T) {
	kubeconfig := access.Kubeconfig{
		Content: `{"contexts": [{"name": "rome", "context": {}}, {"name": "milan", "context": {}}]}`,
	}
	clusters := map[string]access.Credentials{"roma": {}, "europe": {}}
	for name, test := range map[string]struct {
		config   Config
		expected []string
	}{
		"listed ones":  {Config{Kubeconfig: kubeconfig, Clusters: clusters}, []string{"europe", "roma"}},
		"all contexts": {Config{Kubeconfig: kubeconfig}, []string{"milan", "rome"}},
	} {
		t.Run(name, func(t *testing.T) {
			registry := NewRegistry(test.config)
			if names, err := registry.Listed(); err != nil || !slices.Equal(names, test.expected) {
				t.Errorf("%q (%v)", names, err)
			}
			registry.Close()
		})
	}
	registry := NewRegistry(Config{Kubeconfig: access.Kubeconfig{Paths: []string{"/nowhere/kubeconfig"}}})
	defer registry.Close()
	if names, err := registry.Listed(); err == nil {
		t.Errorf("a kubeconfig that can't be read has %q", names)
	}
}
