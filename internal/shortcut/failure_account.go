package shortcut

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// account is what a user reads of one cause.
type account struct {
	headline string // a few words and the leaf; empty where the error has none
	text     string // paragraphs
}

// accounts tells of errors, each cause once: waits that ended for one reason are one account.
func accounts(err error) []account {
	var (
		all   []account
		waits []*wait
	)
	for _, err := range flatten(err) {
		if problem, ok := errors.AsType[*Problem](err); ok && problem.wait != nil {
			waits = append(waits, problem.wait)
			continue
		}
		if one := accountOf(err); !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return append(all, accountsOfWaits(waits)...)
}

func accountOf(err error) account {
	if problem, ok := errors.AsType[*Problem](err); ok {
		return account{onLeaf(problem.Summary, problem.Leaf), problem.Detail}
	}
	if leaf, ok := errors.AsType[*cluster.Error](err); ok {
		return account{onLeaf(leaf.Summary, leaf.Leaf), leaf.Detail()}
	}
	if errors.Is(err, context.Canceled) { // a request that was under way has nothing more to say
		return account{text: "The work was interrupted."}
	}
	return account{text: sentence(err.Error())}
}

func onLeaf(summary, leaf string) string { return fmt.Sprintf("%s on leaf %q", summary, leaf) }
