package binaries

import (
	"io"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/progress"
)

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
