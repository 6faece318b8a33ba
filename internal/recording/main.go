// Command recording prints the log of `make demo` on the page of the demo as an SVG: a terminal on which it appears
// line by line. With the argument `record`, it first replaces that log by the output of a demo, on the standard input.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if err := run(slices.Contains(os.Args[1:], "record")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// demoPage has the log.
const demoPage = "internal/lab/cmd/liqo-demo/README.md"

// logged matches the log on the page.
var logged = regexp.MustCompile("(?s)```text\n(.*?)```\n")

func run(record bool) error {
	page, err := os.ReadFile(demoPage)
	if err != nil {
		return err
	}
	found := logged.FindSubmatch(page)
	if found == nil {
		return errors.New(demoPage + " has no log of `make demo`")
	}
	log := string(found[1])
	if record {
		output, err := io.ReadAll(os.Stdin)
		if err != nil {
			return err
		}
		former := log
		if log, err = cut(string(output)); err != nil {
			return err
		}
		text := strings.Replace(string(page), former, log, 1)
		if err := os.WriteFile(demoPage, []byte(text), 0o600); err != nil { //nolint:gosec // the path is constant
			return err
		}
	}
	fmt.Print(draw(log))
	return nil
}

// What the demo prints is long where it says little: how the clusters start, and Terraform's warnings and plans. The
// page has the shortcut's ranges only once, and the recording does not have them.
var (
	omitted = regexp.MustCompile(`(?:\w+: .* \([\d.]+s\)\n)+(The lab is ready)|` +
		`Warnings:\n(?s:.*?)\n(\S+: (?:Creating|Destroying)\.\.\.|No changes\.)`)
	ranges = regexp.MustCompile(`(?:\w+ = (?:\{\n(?s:.*?)\n\}|\[\])\n)+`)
)

// cut returns what the page shows of a demo's output.
func cut(output string) (string, error) {
	const test = "packets from pod to pod"
	_, log, _ := strings.Cut(output, "\n\n")
	log, _, _ = strings.Cut(log, "Stopping the lab.")
	before, after, _ := strings.Cut(omitted.ReplaceAllString(log, "…\n$1$2"), test)
	if !strings.Contains(after, "packets = [\n") || !strings.Contains(after, "==> All steps passed") {
		return "", errors.New("the demo has failed or has not sent packets, which needs root and /dev/net/tun")
	}
	return before + test + ranges.ReplaceAllString(after, "…\n"), nil
}
