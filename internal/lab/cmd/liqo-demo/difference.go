package main

// difference of two sorted lists: what only after has, and what only before has.
func difference(before, after []string) (added, removed []string) {
	for len(before) > 0 || len(after) > 0 {
		switch {
		case len(before) == 0 || len(after) > 0 && after[0] < before[0]:
			added, after = append(added, after[0]), after[1:]
		case len(after) == 0 || before[0] < after[0]:
			removed, before = append(removed, before[0]), before[1:]
		default:
			before, after = before[1:], after[1:]
		}
	}
	return added, removed
}
