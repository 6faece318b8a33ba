package access

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/access/accesstest"
)

func writeKubeconfig(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestTheEnvironmentNamesAKubeconfigInTheOrderOfItsVariables(t *testing.T) {
	list := "/a" + string(os.PathListSeparator) + "/b"
	for name, test := range map[string]struct {
		environment map[string]string
		paths       string
		optional    bool
	}{
		"KUBE_CONFIG_PATH comes first": {
			map[string]string{"KUBE_CONFIG_PATH": "/one", "KUBE_CONFIG_PATHS": list, "KUBECONFIG": "/c"}, "/one", false,
		},
		"then KUBE_CONFIG_PATHS": {map[string]string{"KUBE_CONFIG_PATHS": list, "KUBECONFIG": "/c"}, "/a /b", false},
		"then KUBECONFIG":        {map[string]string{"KUBECONFIG": list}, "/a /b", true},
	} {
		t.Run(name, func(t *testing.T) {
			kubeconfig := KubeconfigFromEnvironment(func(name string) string { return test.environment[name] })
			if got := strings.Join(kubeconfig.Paths, " "); got != test.paths || kubeconfig.Optional != test.optional {
				t.Errorf("got %q (optional: %t), expected %q (optional: %t)", got, kubeconfig.Optional, test.paths, test.optional)
			}
		})
	}
	t.Run("then the home directory", func(t *testing.T) {
		kubeconfig := KubeconfigFromEnvironment(func(string) string { return "" })
		if len(kubeconfig.Paths) != 1 || !strings.HasSuffix(kubeconfig.Paths[0], filepath.Join(".kube", "config")) {
			t.Errorf("got %v", kubeconfig.Paths)
		}
	})
}

func TestAKubeconfigThatCannotBeUsedIsNamed(t *testing.T) {
	broken := writeKubeconfig(t, "clusters: [token: s3cret")
	for name, test := range map[string]struct {
		kubeconfig Kubeconfig
		names      string
	}{
		"a file that is missing":           {Kubeconfig{Paths: []string{"/nowhere/config"}}, "/nowhere/config"},
		"a file that is not YAML":          {Kubeconfig{Paths: []string{broken}}, broken},
		"content that is not a kubeconfig": {Kubeconfig{Content: "clusters: [token: s3cret"}, "config_content"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := test.kubeconfig.load()
			if err == nil || !strings.Contains(err.Error(), test.names) {
				t.Fatalf("the error does not name %s: %v", test.names, err)
			}
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error repeats the content: %v", err)
			}
		})
	}
}

func TestAFileThatTheEnvironmentListsMayBeMissing(t *testing.T) {
	path := writeKubeconfig(t, accesstest.Kubeconfig)
	kubeconfig := Kubeconfig{Paths: []string{"/nowhere/config", path}, Optional: true}
	if got := strings.Join(kubeconfig.Contexts(), " "); got != "milan rome" {
		t.Errorf("contexts: %q", got)
	}
}

func TestATildeIsTheHomeDirectory(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for path, expected := range map[string]string{
		"~/config": filepath.Join(home, "config"), "~": home, "~other/config": "~other/config", "/etc/~": "/etc/~",
	} {
		t.Run(path, func(t *testing.T) {
			if got, err := expandHome(path); err != nil || got != expected {
				t.Errorf("%s becomes %s (%v), expected %s", path, got, err, expected)
			}
		})
	}
}

func TestASharedKubeconfigIsReadAgainWhenItsFileHasChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	kubeconfig := Kubeconfig{Paths: []string{path}}.Shared()
	if _, err := kubeconfig.load(); err == nil {
		t.Fatal("a file that does not exist was read")
	}
	for content, contexts := range map[string]string{
		accesstest.Kubeconfig: "milan rome", strings.ReplaceAll(accesstest.Kubeconfig, "milan", "paris"): "paris rome",
	} {
		t.Run(content, func(t *testing.T) {
			must(t, os.WriteFile(path, []byte(content), 0o600))
			if err := os.Chtimes(path, time.Time{}, time.Unix(int64(len(contexts)), int64(contexts[0]))); err != nil {
				t.Fatal(err) // two writes may come faster than the clock of the file system
			}
			for _, copied := range []Kubeconfig{kubeconfig, kubeconfig} {
				if got := strings.Join(copied.Contexts(), " "); got != contexts {
					t.Errorf("it has the contexts %s, not %s", got, contexts)
				}
			}
		})
	}
}

func TestWhoeverLoadsASharedKubeconfigMayChangeIt(t *testing.T) {
	kubeconfig := Kubeconfig{Content: accesstest.Kubeconfig}.Shared()
	first, err := kubeconfig.load()
	must(t, err)
	first.AuthInfos["admin"].Token = "other"
	second, err := kubeconfig.load()
	if err != nil || second.AuthInfos["admin"].Token != "s3cret" {
		t.Errorf("the change is seen by others (%v)", err)
	}
}

func BenchmarkManyLeavesOfOneKubeconfig(b *testing.B) {
	var content strings.Builder
	content.WriteString("apiVersion: v1\nkind: Config\nclusters:\n")
	for i := range 100 {
		fmt.Fprintf(&content, "- {name: leaf%d, cluster: {server: 'https://leaf%[1]d.example'}}\n", i)
	}
	kubeconfig := Kubeconfig{Content: content.String()}.Shared()
	for b.Loop() {
		if _, err := kubeconfig.load(); err != nil {
			b.Fatal(err)
		}
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
