package acctest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// TextOf returns the text of one of the repository's files.
func TextOf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(Root + "/" + file)
	Must(t, err)
	return string(text)
}

// SectionOf returns the text of a section of one of the repository's files in Markdown.
func SectionOf(t *testing.T, file, title string) string {
	t.Helper()
	_, section, found := strings.Cut(TextOf(t, file), "\n## "+title+"\n")
	if !found {
		t.Fatalf("%s has no section %q", file, title)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

// BlockOf returns the first block of code of a language in a text of Markdown.
func BlockOf(t *testing.T, text, language string) string {
	t.Helper()
	return BlocksOf(t, text, language)[0]
}

// BlocksOf returns all blocks of code of a language in a text of Markdown.
func BlocksOf(t *testing.T, text, language string) []string {
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

// Shell runs the commands of a page, which must succeed. It approves what they apply, and returns their output.
func (p *Project) Shell(commands string) string {
	p.T.Helper()
	return p.Job(commands, 0)
}

// Job is like shell, for commands that end with this exit status.
func (p *Project) Job(commands string, status int) string {
	p.T.Helper()
	p.WithProgram("terraform", fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\"\n", p.Cli))
	p.Set("TF_CLI_ARGS_apply", "-auto-approve")
	command := exec.CommandContext(p.T.Context(), "sh", "-ec", commands)
	command.Dir, command.Env = p.Dir, p.Env
	output, err := command.CombinedOutput()
	if command.ProcessState == nil || command.ProcessState.ExitCode() != status {
		p.T.Fatalf("%s: %v, expected the exit status %d\n%s", commands, err, status, output)
	}
	return string(output)
}

// WithProgram puts a script at the start of the PATH.
func (p *Project) WithProgram(name, script string) {
	p.T.Helper()
	programs := p.T.TempDir()
	Must(p.T, os.WriteFile(filepath.Join(programs, name), []byte(script), 0o700))
	p.WithPrograms(programs)
}

// WithPrograms puts a folder at the start of the PATH.
func (p *Project) WithPrograms(folder string) {
	path := ""
	for _, variable := range p.Env { // the last one counts
		if folders, ok := strings.CutPrefix(variable, "PATH="); ok {
			path = folders
		}
	}
	p.Set("PATH", folder+":"+path)
}

// ExamplePrograms returns the folder of kubectl and jq, which it builds once for all tests of a package.
func ExamplePrograms(t *testing.T) string {
	t.Helper()
	folder, err := examplePrograms()
	Must(t, err)
	return folder
}

var examplePrograms = sync.OnceValues(func() (folder string, err error) {
	folder = filepath.Join(Scratch, "programs")
	if err = os.Mkdir(folder, 0o755); err == nil {
		_, err = Output(Root+"/.ci/example-programs", folder)
	}
	return folder, err
})
