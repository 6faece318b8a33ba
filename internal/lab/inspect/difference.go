package inspect

import "k8s.io/apimachinery/pkg/util/sets"

// Difference is the lines that only one of two inventories has.
type Difference struct {
	// Added are the lines of the later one only. Removed are the lines of the earlier one only.
	Added, Removed []string
}

// Compare compares two inventories. A line, which is the name of an object, is in an inventory once.
func Compare(before, after []string) Difference {
	earlier, later := sets.New(before...), sets.New(after...)
	return Difference{Added: sets.List(later.Difference(earlier)), Removed: sets.List(earlier.Difference(later))}
}

// Empty reports whether the inventories are the same.
func (d Difference) Empty() bool { return len(d.Added)+len(d.Removed) == 0 }

// Lines returns the added lines with a plus, and then the removed lines with a minus.
func (d Difference) Lines() []string {
	lines := make([]string, 0, len(d.Added)+len(d.Removed))
	for _, line := range d.Added {
		lines = append(lines, "+ "+line)
	}
	for _, line := range d.Removed {
		lines = append(lines, "- "+line)
	}
	return lines
}
