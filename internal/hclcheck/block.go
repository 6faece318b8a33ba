package main

import (
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
)

// block is a fenced block of HCL in a Markdown file.
type block struct {
	file string
	line int // number of its first line of text in the file, from 1
	text string
}

// fence matches the first line of a block. GitHub knows HCL by both names.
var fence = regexp.MustCompile("^([ \t]*)```(hcl|terraform)[ \t]*$")

// blocksOf returns the blocks of one file. It removes the indentation of a block in a list.
func blocksOf(file, markdown string) []block {
	var (
		blocks []block
		open   *block
		indent string
	)
	for i, line := range strings.Split(markdown, "\n") {
		switch begin := fence.FindStringSubmatch(line); {
		case open == nil && begin != nil:
			open, indent = &block{file: file, line: i + 2}, begin[1]
		case open != nil && strings.TrimSpace(line) == "```":
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.text += strings.TrimPrefix(line, indent) + "\n"
		}
	}
	return blocks
}

// formatted reports whether `terraform fmt` would leave the block unchanged.
func (b block) formatted() bool {
	return string(hclwrite.Format([]byte(b.text))) == b.text
}
