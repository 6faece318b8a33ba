package explain

import (
	"context"
	"fmt"
	"strings"
	"sync"
)

// Down asks both leaves why a tunnel is not up, though all objects of the network are in place. The detail is what each end says and since when, where the client dials,
// why if a leaf shows it, and what to do. What can't be read it mentions, and goes on.
func Down(ctx context.Context, client, server Subject) *Problem {
	ctx, cancel := context.WithTimeout(ctx, timeToLook)
	defer cancel()
	var (
		looking sync.WaitGroup
		ends    = []Subject{client, server}
		looks   = make([]*Problem, len(ends))
		reports = make([][]string, len(ends))
	)
	for i, end := range ends {
		looking.Go(func() { looks[i], reports[i] = end.look(ctx), end.reports(ctx) })
	}
	looking.Wait()
	var lines []string
	for _, report := range reports {
		lines = append(lines, report...)
	}
	return &Problem{
		Summary: fmt.Sprintf("the tunnel from %q to %q is down", client.Leaf.Name, server.Leaf.Name),
		Detail:  strings.Join(append([]string{strings.Join(lines, "\n")}, whyDown(looks)...), "\n\n"),
	}
}

// reports are sentences on where the gateway dials, if it does, and on what it says of the tunnel.
func (s Subject) reports(ctx context.Context) []string {
	found, err := s.Find(ctx)
	if err != nil {
		return nil // looking has the same error
	}
	var lines []string
	if found.Client != nil {
		lines = append(lines, fmt.Sprintf("The gateway of %q dials %s.", s.Leaf.Name, where(found.Client.Spec.Endpoint)))
	}
	report, _ := s.report(ctx, found) // as above
	return append(lines, report)
}

// whyDown are paragraphs on the causes. Without one, what the gateways report is all there is, and advice on the way between the leaves.
func whyDown(looks []*Problem) []string {
	var paragraphs []string
	for i, c := range merged(looks) {
		problem := c.problem()
		switch {
		case !c.rank.isConsequence():
			paragraphs = append(paragraphs, fmt.Sprintf("This is why: %s.\n%s", problem.headline(), problem.Detail))
		case i == 0 && c.ofPair:
			paragraphs = append(paragraphs, append(c.unanswered(), c.advice)...)
		case i == 0:
			paragraphs = append(paragraphs, problem.Detail)
		}
	}
	return paragraphs
}
