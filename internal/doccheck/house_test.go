package doccheck

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestTheSizeOfEachPackageIsAboutThatOfTheTable allows a fifth more or less than the lines in internal/README.md.
func TestTheSizeOfEachPackageIsAboutThatOfTheTable(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\| (\w+) \| ([\d,]+) \| `)
	rows := row.FindAllStringSubmatch(read(t, "internal/README.md"), -1)
	if len(rows) < 10 {
		t.Fatalf("internal/README.md has %d packages with their lines", len(rows))
	}
	for _, found := range rows {
		said, err := strconv.Atoi(strings.ReplaceAll(found[2], ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		folder, lines := "internal/"+found[1], 0
		for _, file := range pages(t, []string{folder}, ".go") {
			if strings.HasSuffix(file, "_test.go") || path.Dir(file) != folder && found[1] != "lab" {
				continue
			}
			lines += strings.Count(read(t, file), "\n")
		}
		if lines*5 < said*4 || lines*5 > said*6 {
			t.Errorf("internal/README.md says that %s has %d lines. It has %d", folder, said, lines)
		}
	}
}

// TestTheWalksOfCONTRIBUTINGGoThroughAllFilesOfTheirExample leaves out tests and the stand-ins for Liqo.
func TestTheWalksOfCONTRIBUTINGGoThroughAllFilesOfTheirExample(t *testing.T) {
	sources := regexp.MustCompile(`^internal/(provider|shortcut|owner|explain|end|liqo|cluster)/\w+\.go$`)
	for heading, example := range map[string]string{
		"## Add an attribute\n":                 `\bServerAddress\b|\bserver_address\b`,
		"## Add an object of Liqo at one end\n": `\bnetworkingv1beta1\.PublicKey(List)?\b`,
	} {
		t.Run(heading, func(t *testing.T) {
			_, walk, found := strings.Cut(read(t, "CONTRIBUTING.md"), heading)
			walk, _, _ = strings.Cut(walk, "\n## ")
			if !found {
				t.Fatalf("CONTRIBUTING.md has no %q", heading)
			}
			mentions := regexp.MustCompile(example)
			for _, file := range pages(t, []string{"internal"}, ".go") {
				if !sources.MatchString(file) || strings.HasSuffix(file, "_test.go") || !mentions.MatchString(read(t, file)) {
					continue
				}
				if !strings.Contains(walk, "**"+file+"**") {
					t.Errorf("%s of CONTRIBUTING.md leaves out %s", strings.TrimSpace(heading), file)
				}
			}
			for _, named := range regexp.MustCompile(`\*\*([\w/.]+)\*\*`).FindAllStringSubmatch(walk, -1) {
				if !exists(named[1]) {
					t.Errorf("%s of CONTRIBUTING.md names %s, which does not exist", strings.TrimSpace(heading), named[1])
				}
			}
		})
	}
}

// TestEveryFolderOfTestsOnClustersRunsEveryNight finds a folder that neither a job nor `make testacc-all` lists.
func TestEveryFolderOfTestsOnClustersRunsEveryNight(t *testing.T) {
	listed := regexp.MustCompile(`\b(core|nightly)/(?:\{([\w,]+)\}|(\w+))`)
	for _, file := range []string{".ci/testacc", ".github/workflows/nightly.yml"} {
		runs := map[string]bool{}
		for _, found := range listed.FindAllStringSubmatch(read(t, file), -1) {
			for name := range strings.SplitSeq(found[2]+found[3], ",") {
				runs[found[1]+"/"+name] = true
			}
		}
		for _, test := range pages(t, []string{"internal/acceptance/core", "internal/acceptance/nightly"}, "_test.go") {
			folder := strings.TrimPrefix(path.Dir(test), "internal/acceptance/")
			if !runs[folder] {
				t.Errorf("%s does not run the tests in %s", file, folder)
				runs[folder] = true // once is enough
			}
		}
	}
}

// TestMakeRaceRunsAllTestsOfThisModule finds tests that `make race` would leave out: it runs those that it does not run
// with the race detector in some packages only.
func TestMakeRaceRunsAllTestsOfThisModule(t *testing.T) {
	makefile := read(t, "GNUmakefile")
	setting := regexp.MustCompile(`(?m)^REPETITIVE := (.+)$`).FindStringSubmatch(makefile)
	rerun := regexp.MustCompile(`-run '\$\(REPETITIVE\)' \./internal/\{([\w,]+)\}`).FindStringSubmatch(makefile)
	if setting == nil || rerun == nil {
		t.Fatal("GNUmakefile does not say which tests are repetitive, and in which packages it runs them")
	}
	repeated := map[string]int{} // the number of these tests, by folder
	for name := range strings.SplitSeq(rerun[1], ",") {
		repeated["internal/"+name] = 0
	}
	test := regexp.MustCompile(`(?m)^func (Test\w*(?:` + setting[1] + `)\w*)\(`)
	other := regexp.MustCompile(`^internal/(lab|acceptance)/`)
	for _, file := range pages(t, []string{"internal"}, ".go") {
		if !strings.HasSuffix(file, "_test.go") || other.MatchString(file) {
			continue
		}
		folder := path.Dir(file)
		for _, name := range test.FindAllStringSubmatch(read(t, file), -1) {
			if _, ok := repeated[folder]; !ok {
				t.Errorf("make race does not run %s in %s", name[1], folder)
				continue
			}
			repeated[folder]++
		}
	}
	for folder, tests := range repeated {
		t.Run(folder, func(t *testing.T) {
			if tests == 0 {
				t.Errorf("make race runs no test %s in %s", setting[1], folder)
			}
		})
	}
}
