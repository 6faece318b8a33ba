// Package inventory compares two lists of all objects in the clusters of a lab, as `liqo-lab
// inventory` prints them.
package inventory

// Difference is the lines that only one of two inventories has.
type Difference struct {
	// Added are the lines of the later one only. Removed are the lines of the earlier one only.
	Added, Removed []string
}

// Compare compares two inventories, which must be sorted.
func Compare(before, after []string) Difference {
	var d Difference
	for len(before) > 0 || len(after) > 0 {
		switch {
		case len(before) == 0 || len(after) > 0 && after[0] < before[0]:
			d.Added, after = append(d.Added, after[0]), after[1:]
		case len(after) == 0 || before[0] < after[0]:
			d.Removed, before = append(d.Removed, before[0]), before[1:]
		default:
			before, after = before[1:], after[1:]
		}
	}
	return d
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
