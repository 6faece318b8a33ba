//go:build lab

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/programs"
)

// demo is the example's configuration for a lab, with the current provider.
func demo(t *testing.T, kubeconfig string) (terraform func(args ...string)) {
	t.Helper()
	repo, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	provider := t.TempDir()
	build := programs.Command(t.Context(), "go", "build", "-o", provider, ".")
	build.Dir = repo
	var out bytes.Buffer
	if err := programs.Show(&out, build); err != nil {
		t.Fatalf("go build: %v\n%s", err, &out)
	}
	t.Setenv(asCommand, "1") // where there is no terraform, this program builds OpenTofu
	cli, err := programs.FindCLI(t.Context(), os.Stderr, os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	run, err := programs.NewTerraform(cli, filepath.Join(t.TempDir(), "demo"), provider, os.DirFS(filepath.Join(repo, "examples", "demo")))
	if err != nil {
		t.Fatal(err)
	}
	run.Set("TF_VAR_kubeconfig", kubeconfig)
	return func(args ...string) {
		t.Helper()
		var out bytes.Buffer
		if err := run.Run(t.Context(), &out, args...); err != nil {
			t.Fatalf("%v\n%s", err, &out)
		}
	}
}

func TestPacketsCrossAShortcutFromApplyToDestroy(t *testing.T) {
	lab := startReal(t, "rome=10.200.0.0/16", "milan=10.200.0.0/16")
	atMilan, atRome := remapped(runPod(t, lab.Clusters[0])), remapped(runPod(t, lab.Clusters[1]))
	terraform := demo(t, lab.Kubeconfig)

	lab.reachesNot(t, "rome", atRome)
	for range 2 { // the second shortcut may come upon what the first one left
		terraform("apply", "-auto-approve")
		lab.reaches(t, "rome", atRome)
		lab.reaches(t, "milan", atMilan)
		lab.answersTo(t, "milan", atMilan, "rome/default/a", atRome)

		terraform("destroy", "-auto-approve")
		lab.reachesNot(t, "rome", atRome)
		lab.reachesNot(t, "milan", atMilan)
	}
	lab.run(t, "down")
	gone(t, lab.Dir)
}
