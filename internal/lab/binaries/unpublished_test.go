package binaries

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/progress"
)

func TestAVersionOfKubernetesIsAReleaseThatTheLabCanRun(t *testing.T) {
	for text, valid := range map[string]bool{
		"v1.30.4": true, "v1.36.3": true,
		"1.36.3": false, "v1.36": false, "v1.36.0-rc.1": false, "v1.29.6": false, "v2.0.0": false, "": false,
	} {
		got, err := ParseKubernetes(text)
		if valid != (err == nil) || valid && got != text {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}

func TestKubernetesIsBuiltFromThePublishedModulesInsteadOfItsStagingFolder(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{
		"go.mod": `module k8s.io/kubernetes

go 1.21

require k8s.io/api v0.0.0

replace (
	example.com/other => example.com/fork v1.2.3
	k8s.io/api => ./staging/src/k8s.io/api
)
`,
		"go.sum": "a sum\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	to := filepath.Join(t.TempDir(), "cache", "go.mod")
	if err := writeUnstaged(folder, to, "v1.30.4"); err != nil {
		t.Fatal(err)
	}
	const want = `module k8s.io/kubernetes

go 1.21

require k8s.io/api v0.0.0

replace (
	example.com/other => example.com/fork v1.2.3
	k8s.io/api => k8s.io/api v0.30.4
)
`
	for file, want := range map[string]string{to: want, filepath.Join(filepath.Dir(to), "go.sum"): "a sum\n"} {
		if got, err := os.ReadFile(file); string(got) != want || err != nil {
			t.Errorf("%s is, %v,\n%s", filepath.Base(file), err, got)
		}
	}
}

func TestTheGoModOfAnEarlierBuildOfKubernetesStays(t *testing.T) {
	to := filepath.Join(t.TempDir(), "go.mod")
	if err := os.WriteFile(to, []byte("module k8s.io/kubernetes\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeUnstaged("no folder", to, "v1.30.4"); err != nil {
		t.Error(err)
	}
}

// A module that is like Terraform's: what it needs of its repository is not published, neither for its program nor for
// its tools.
func TestTerraformIsBuiltWithoutTheBackendsThatAreNotPublished(t *testing.T) {
	module := t.TempDir()
	writeSources(t, module, map[string]string{
		"go.mod": `module example.com/terraform

go 1.26

require (
	example.com/terraform/cloud v0.0.0-00010101000000-000000000000
	example.com/terraform/legacy v0.0.0-00010101000000-000000000000
)

replace example.com/terraform/cloud => ./cloud

replace example.com/terraform/legacy => ./legacy

tool example.com/terraform/legacy/tool
`,
		"main.go": `package main

import backends "example.com/terraform/internal/backend/init"

func main() { backends.Print() }
`,
		"local/local.go": "package local\n\nfunc New() string { return \"local\" }\n",
		backends: `package init

import (
	backendCloud "example.com/terraform/cloud"
	backendLocal "example.com/terraform/local"
)

var backends = map[string]func() string{
	"cloud": func() string { return backendCloud.New() },
	"local": func() string { return backendLocal.New() },
}

func Print() {
	for name := range backends {
		print(name)
	}
}
`,
	})
	if err := makeIn(module, withoutClouds{}); err != nil {
		t.Fatal(err)
	}
	b := &build{
		Program: Program{Name: "terraform", pkg: "example.com/terraform"},
		label:   "terraform", folder: module, flags: buildFlags, file: filepath.Join(t.TempDir(), "cache", "terraform"),
		report: progress.New(io.Discard),
	}
	file, err := b.cached(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), file).CombinedOutput(); string(out) != "local" || err != nil {
		t.Errorf("its backends are %q, %v", out, err)
	}
}
