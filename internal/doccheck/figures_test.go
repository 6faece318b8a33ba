package doccheck

import (
	"strings"
	"testing"
)

// TestTheFiguresOfTheREADMEAreThoseOfTheBenchmark compares the rows of the README's table with the page that `make
// bench` writes.
func TestTheFiguresOfTheREADMEAreThoseOfTheBenchmark(t *testing.T) {
	const heading = "| Measure | Provider | Compared with |"
	measured := rowsBelow(t, "templates/guides/figures.md", heading)
	shown := rowsBelow(t, "README.md", heading)
	for row := range shown {
		if !measured[row] {
			t.Errorf("README.md has %q, which is not in templates/guides/figures.md. Copy the row from there", row)
		}
	}
}

// rowsBelow returns the rows of the table with this heading, of which there is at least one.
func rowsBelow(t *testing.T, file, heading string) map[string]bool {
	t.Helper()
	_, table, _ := strings.Cut(read(t, file), heading+"\n")
	rows := map[string]bool{}
	for line := range strings.Lines(table) {
		row := strings.TrimSpace(line)
		if !strings.HasPrefix(row, "|") {
			break
		}
		rows[row] = true
	}
	if len(rows) < 2 { // the first one separates the heading from the others
		t.Fatalf("%s has no table with the heading %q", file, heading)
	}
	return rows
}
