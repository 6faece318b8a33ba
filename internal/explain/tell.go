package explain

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// Summary is a headline for an error: the first of its problems, in a few words. It is empty for an error that has none.
func Summary(err error) string {
	if all := problems(reasons(err)); len(all) > 0 {
		return all[0].headline()
	}
	return ""
}

// Detail is what belongs below the headline: what was waited for, what the leaves show of the reason, and what to do; then further problems,
// and how far each step got.
func Detail(err error) string {
	var paragraphs []string
	for i, one := range problems(reasons(err)) {
		text := one.Detail
		if headline := one.headline(); i > 0 && headline != "" {
			text = fmt.Sprintf("Besides, %s.\n%s", headline, text)
		}
		paragraphs = append(paragraphs, text)
	}
	problem, ok := errors.AsType[*Problem](err)
	refused := ok && problem.Refused
	if failure, ok := err.(*steps.Failure); ok && !refused { //nolint:errorlint // an error around it would have more to say
		paragraphs = append(paragraphs, "How far it got:\n"+failure.Ledger())
	}
	return strings.Join(paragraphs, "\n\n")
}

// reasons is the errors that a failure stands for, or the error itself.
func reasons(err error) error {
	if failure, ok := err.(*steps.Failure); ok { //nolint:errorlint // an error around it would have more to say
		return failure.Err
	}
	return err
}

// problems are what users read of errors, each once: waits that ended for one reason are one problem.
func problems(err error) []*Problem {
	var all, waits []*Problem
	for _, err := range flatten(err) {
		problem := problemOf(err)
		switch {
		case problem.causes != nil:
			waits = append(waits, problem)
		case !slices.ContainsFunc(all, problem.reads):
			all = append(all, problem)
		}
	}
	return append(all, problemsOfWaits(waits)...)
}

// flatten lists the errors that were joined, in order.
func flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		if err == nil {
			return nil
		}
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flatten(e)...)
	}
	return all
}
