package acceptance

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What a new user does first: the README's section "Use it", from an empty home folder.
func TestAccTheReadmeWorksWordForWordAfterAnInstall(t *testing.T) {
	lab := borrowLab(t)
	section := sectionOf(t, "README.md", "Use it")
	for name, cli := range clis(t) {
		t.Run(name, func(t *testing.T) {
			p := lab.newProject(t, t.TempDir())
			p.set("TF_CLI_CONFIG_FILE", "") // no configuration of the CLI either
			p.cli = cli
			p.install("install")
			t.Cleanup(func() { p.uninstalled() })
			destroyAtLast(p)
			p.write("main.tf", blockOf(t, section, "hcl"))
			p.run("init")
			says(t, p.run("plan"), "1 to add, 0 to change, 0 to destroy")
			says(t, p.run("apply", "-auto-approve"), "1 added, 0 changed, 0 destroyed")
			p.run("plan", "-detailed-exitcode")
			p.run("destroy", "-auto-approve")
		})
	}
}

// clis returns the programs that users have instead of the one that the other tests run: each by its name.
func clis(t *testing.T) map[string]string {
	t.Helper()
	programs := map[string]string{}
	for _, choice := range []string{"", "opentofu"} {
		program := cliOf(t, choice)
		programs[filepath.Base(program)] = program
	}
	return programs
}

// uninstalled fails the test unless `make uninstall` removes what `make install` has installed.
func (p *project) uninstalled() {
	p.t.Helper()
	p.install("uninstall")
	left, err := filepath.Glob(filepath.Join(p.home, ".terraform.d", "plugins", "*", "leafmesh", "*"))
	if err != nil || left != nil {
		p.t.Errorf("left are %v (%v)", left, err)
	}
}

// install runs a target of make in the repository, with the project's home folder. Go keeps its caches.
func (p *project) install(target string) {
	p.t.Helper()
	command := exec.CommandContext(context.WithoutCancel(p.t.Context()), "make", "-C", "../..", target)
	command.Env = os.Environ()
	for _, variable := range []string{"GOPATH", "GOCACHE", "GOMODCACHE"} {
		value, err := output("go", "env", variable)
		if err != nil {
			p.t.Fatal(err)
		}
		command.Env = append(command.Env, variable+"="+value)
	}
	command.Env = append(command.Env, "HOME="+p.home)
	if output, err := command.CombinedOutput(); err != nil {
		p.t.Fatalf("make %s: %v\n%s", target, err, output)
	}
}

// sectionOf returns the text of a section of one of the repository's files in Markdown.
func sectionOf(t *testing.T, file, title string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + file)
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## "+title+"\n")
	if !found {
		t.Fatalf("%s has no section %q", file, title)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

// blockOf returns the first block of code of a language in a text of Markdown.
func blockOf(t *testing.T, text, language string) string {
	t.Helper()
	return blocksOf(t, text, language)[0]
}

// blocksOf returns all blocks of code of a language in a text of Markdown.
func blocksOf(t *testing.T, text, language string) []string {
	t.Helper()
	var blocks []string
	for _, block := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, block[1])
	}
	if blocks == nil {
		t.Fatalf("no block of %s in:\n%s", language, text)
	}
	return blocks
}
