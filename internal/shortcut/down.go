package shortcut

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Down is what the leaves show of a tunnel that is not up, though all objects of the shortcut are in place.
type Down struct {
	Summary string // a headline
	Detail  string // what each end says and since when, where the client dials, why if a leaf shows it, and what to do
}

// WhyDown asks both leaves why the tunnel is not up. What can't be read it mentions, and goes on.
func (s *Shortcut) WhyDown(ctx context.Context) Down {
	ctx, cancel := context.WithTimeout(ctx, timeToDiagnose)
	defer cancel()
	var looking sync.WaitGroup
	ends := make([]looked, len(s.ends()))
	for i, on := range s.ends() {
		looking.Go(func() { ends[i] = on.lookAtTunnel(ctx) })
	}
	looking.Wait()
	return Down{
		Summary: fmt.Sprintf("the tunnel from %q to %q is down", s.client.leaf.Name, s.server.leaf.Name),
		Detail:  whyDown(ends...),
	}
}

// looked is what one leaf shows of the tunnel.
type looked struct {
	*wait

	report string // see [side.report]
	dials  string // a sentence on where the gateway dials; empty for the server's
}

func (s *side) lookAtTunnel(ctx context.Context) looked {
	end := looked{wait: &wait{leaf: s.leaf.Name}}
	end.note(s.evidence(ctx))
	found, err := s.find(ctx)
	if err != nil {
		return end // the evidence has the same error
	}
	end.report, _ = s.report(ctx, found) // as above
	if found.client != nil {
		end.dials = fmt.Sprintf("The gateway of %q dials %s.", s.leaf.Name, where(dials(found.client)))
	}
	return end
}

// whyDown puts together what the leaves show. Causes come after what the gateways report; without a cause, the reports are all there is, and advice on the way
// between the leaves.
func whyDown(ends ...looked) string {
	waits := make([]*wait, len(ends))
	var lines []string
	for i, end := range ends {
		waits[i] = end.wait
		lines = append(lines, slices.DeleteFunc([]string{end.dials, end.report}, func(line string) bool { return line == "" })...)
	}
	paragraphs := []string{strings.Join(lines, "\n")}
	for i, cause := range causesOf(waits) {
		switch {
		case !cause.isConsequence():
			paragraphs = append(paragraphs, fmt.Sprintf("This is why: %s.\n%s", cause.headline, cause.tell()))
		case i == 0 && cause.ofPair:
			paragraphs = append(paragraphs, append(cause.unanswered(), cause.advice)...)
		case i == 0:
			paragraphs = append(paragraphs, cause.tell())
		}
	}
	return strings.Join(paragraphs, "\n\n")
}
