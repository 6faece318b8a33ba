// Command hclcheck lets Terraform validate every block of HCL in Markdown files, with a provider that was just built. A
// finding names the file and the line.
//
// It needs no network and no cluster. Each block becomes a separate configuration. hclcheck adds what a fragment omits,
// see [block.frame].
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:gocritic // the signal handler ends with the process
	}
}

func run(ctx context.Context) error {
	var programs []string
	flag.Func("terraform", "path of Terraform or OpenTofu; can be repeated", func(program string) error {
		programs = append(programs, program)
		return nil
	})
	provider := flag.String("provider", "bin", "folder with the programs of the provider and of HashiCorp's time provider")
	atOnce := flag.Int("parallel", 4, "number of blocks to validate in parallel")
	flag.Parse()

	blocks, err := blocksIn(flag.Args())
	if err != nil {
		return err
	}
	v, err := newValidator(ctx, programs, *provider)
	if err != nil {
		return err
	}
	defer v.close()
	findings, err := v.validateAll(ctx, blocks, *atOnce)
	if err != nil {
		return err
	}
	for _, f := range findings {
		fmt.Println(f)
	}
	if len(findings) > 0 {
		return fmt.Errorf("%d findings in %d blocks of HCL", len(findings), len(blocks))
	}
	fmt.Printf("%d blocks of HCL are valid\n", len(blocks))
	return nil
}

// blocksIn reads all Markdown files in these files and folders. If several files have the same block, as generated
// files do, it returns only the first one.
func blocksIn(roots []string) ([]block, error) {
	var (
		blocks []block
		seen   = map[string]bool{}
	)
	for _, root := range roots {
		err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !isMarkdown(name) {
				return err
			}
			text, err := os.ReadFile(name) //nolint:gosec // the user names the files
			if err != nil {
				return err
			}
			for _, b := range blocksOf(name, string(text)) {
				if !seen[b.text] {
					seen[b.text] = true
					blocks = append(blocks, b)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(blocks) == 0 {
		return nil, errors.New("there is no block of HCL in " + strings.Join(roots, ", "))
	}
	return blocks, nil
}

func isMarkdown(name string) bool {
	return strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".md.tmpl")
}

// validateAll returns the findings of all blocks, sorted by file and line.
func (v *validator) validateAll(ctx context.Context, blocks []block, atOnce int) ([]finding, error) {
	perBlock := make([][]finding, len(blocks))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, b := range blocks {
		group.Go(func() (err error) {
			perBlock[i], err = v.validate(ctx, b)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	findings := slices.Concat(perBlock...)
	slices.SortStableFunc(findings, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	return findings, nil
}
