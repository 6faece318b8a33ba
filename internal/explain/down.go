package explain

import (
	"context"
	"fmt"
	"strings"

	"github.com/leafmesh/terraform-provider-liqo/internal/parallel"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Down asks both leaves why a tunnel is down although all objects of the network are in place. The detail says what
// each end reports and since when, which endpoint the client dials, the cause if a leaf shows it, and what to do. It
// also mentions what could not be read.
func Down(ctx context.Context, client, server Subject) *trouble.Problem {
	return down(ctx, fmt.Sprintf("the tunnel from %q to %q is down", client.Leaf.Name, server.Leaf.Name), client, server)
}

// DownAt does the same with one end alone, for people who have no credentials for the other leaf.
func DownAt(ctx context.Context, end Subject) *trouble.Problem {
	return down(ctx, fmt.Sprintf("the tunnel between %q and %q is down", end.Leaf.Name, end.RemoteName), end)
}

func down(ctx context.Context, summary string, ends ...Subject) *trouble.Problem {
	ctx, cancel := context.WithTimeout(ctx, timeToLook)
	defer cancel()
	type diagnosis struct {
		found   *wait
		reports []string
	}
	var all []*wait
	var lines []string
	for _, d := range parallel.Map(ends, func(end Subject) diagnosis {
		return diagnosis{diagnose(ctx, end.Leaf, end.causes), end.reports(ctx)}
	}) {
		all, lines = append(all, d.found), append(lines, d.reports...)
	}
	why, causes := whyDown(all)
	return &trouble.Problem{
		ID:       "tunnel-down",
		Summary:  summary,
		Evidence: []string{strings.Join(append([]string{strings.Join(lines, "\n")}, why...), "\n\n")},
		Causes:   trouble.IDs(causes...),
	}
}

// reports returns sentences about the end: which endpoint it dials, if it does, what it reports about the tunnel, and
// where else it may be reached.
func (s Subject) reports(ctx context.Context) []string {
	view, err := s.observe(ctx)
	if err != nil {
		return nil // diagnose returns the same error
	}
	var lines []string
	if dialled := view.Dialled(); dialled != nil {
		lines = append(lines, fmt.Sprintf("The gateway of %q dials %s.", s.Leaf.Name, where(*dialled)))
	}
	report, _ := s.report(ctx, view) // diagnose returns the same errors
	lines = append(lines, report)
	others, _ := s.otherAddresses(ctx, view)
	return append(lines, others...)
}

// whyDown returns paragraphs about the causes, and the causes. If no leaf shows a cause, it returns advice about the
// path between the leaves.
func whyDown(found []*wait) (paragraphs []string, causes []*trouble.Problem) {
	for i, c := range merged(found) {
		problem := c.problem()
		switch {
		case !c.rank.isConsequence():
			paragraphs = append(paragraphs, fmt.Sprintf("This is why: %s.\n%s", problem.Headline(), problem.Detail()))
			causes = append(causes, problem)
		case i == 0 && c.rank.isOfPair():
			paragraphs = append(paragraphs, append(c.unanswered(), c.Advice)...)
		case i == 0:
			paragraphs = append(paragraphs, problem.Detail())
			causes = append(causes, problem)
		}
	}
	return paragraphs, causes
}
