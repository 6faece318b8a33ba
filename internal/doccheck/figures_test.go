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

// The README says in one sentence what the page that `make failover` writes says first.
func TestTheSecondsOfTheREADMEAreThoseOfTheMeasurement(t *testing.T) {
	oneLine := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	const begin, end = "With `lease_duration = \"4s\"`, a lost node ", "\n\n"
	_, measured, found := strings.Cut(read(t, "templates/guides/failover.md"), begin)
	measured, _, ends := strings.Cut(measured, end)
	if !found || !ends {
		t.Fatalf("templates/guides/failover.md does not say: %s", begin)
	}
	if want := oneLine(begin + measured); !strings.Contains(oneLine(read(t, "README.md")), want) {
		t.Errorf("README.md does not say what templates/guides/failover.md says: %s", want)
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
