package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Summary returns a headline for an error: its first problem, in a few words. It is empty if the error is not
// explained.
func Summary(err error) string {
	if all := problems(reasons(err)); len(all) > 0 {
		return all[0].Headline()
	}
	return ""
}

// Troubles returns the IDs of the problems in an error, each once: first that of the headline, then those of the
// problems in the detail. Problems without an ID are left out.
func Troubles(err error) []trouble.ID { return trouble.IDs(problems(reasons(err))...) }

// Detail returns the text below the headline: what the provider waited for, what the leaves show, and what to do. Then
// follow other problems, and how far each step got.
func Detail(err error) string {
	var paragraphs []string
	for i, one := range problems(reasons(err)) {
		text := one.Detail()
		if headline := one.Headline(); i > 0 && headline != "" {
			text = fmt.Sprintf("In addition, %s.\n%s", headline, text)
		}
		paragraphs = append(paragraphs, text)
	}
	failure, ok := err.(*steps.Failure) //nolint:errorlint // a wrapping error has a text of its own
	if ok && !Refused(err) {
		paragraphs = append(paragraphs, "How far it got:\n"+failure.Ledger())
	}
	return strings.Join(paragraphs, "\n\n")
}

// Refused reports whether an operation has refused to begin, so that it has written nothing.
func Refused(err error) bool {
	problem, ok := errors.AsType[*trouble.Problem](err)
	return ok && problem.Refused
}

// WroteNothing reports whether an operation has certainly written nothing before it failed. The error may be nil.
func WroteNothing(err error) bool {
	failure, ok := errors.AsType[*steps.Failure](err)
	return ok && failure.WroteNothing || Refused(err)
}

// reasons returns the errors of the failed steps, or the error itself.
func reasons(err error) error {
	if failure, ok := err.(*steps.Failure); ok { //nolint:errorlint // a wrapping error has a text of its own
		return failure.Err
	}
	return err
}

// problems returns the problems in an error, each once. Waits with the same cause are one problem. An interrupted
// request counts only if there is nothing else, because it says nothing about the leaf.
func problems(err error) []*trouble.Problem {
	var (
		all         []*trouble.Problem
		waits       []*wait
		interrupted *trouble.Problem
	)
	for _, err := range flatten(err) {
		problem := problemOf(err)
		reads := func(other *trouble.Problem) bool {
			return problem.Headline() == other.Headline() && problem.Detail() == other.Detail()
		}
		w, waited := problem.Err.(*wait) //nolint:errorlint // a problem that a wait has caused has a text of its own
		switch {
		case waited:
			waits = append(waits, w)
		case problem.Summary == "" && errors.Is(problem.Err, context.Canceled):
			interrupted = problem
		case !slices.ContainsFunc(all, reads):
			all = append(all, problem)
		}
	}
	all = append(all, problemsOfWaits(waits)...)
	if len(all) == 0 && interrupted != nil {
		return []*trouble.Problem{interrupted}
	}
	return all
}

// problemOf returns the problem in a single error. It has no summary if the error is not explained.
func problemOf(err error) *trouble.Problem {
	if problem, ok := errors.AsType[*trouble.Problem](err); ok {
		return problem
	}
	if late, ok := errors.AsType[*cluster.WaitError](err); ok && errors.Is(err, context.DeadlineExceeded) {
		return problemOf(late.Last)
	}
	if answer, ok := errors.AsType[*cluster.Error](err); ok {
		return &answer.Problem
	}
	if errors.Is(err, context.Canceled) { // the error of the interrupted request adds nothing
		return &trouble.Problem{Evidence: []string{"The work was interrupted."}, Err: err}
	}
	return &trouble.Problem{Evidence: []string{sentence(err.Error())}, Err: err}
}

// flatten returns the joined errors, in order.
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

// Names returns a text that lists objects of a leaf.
func Names(leaf *cluster.Leaf, objects ...client.Object) string {
	names := make([]string, len(objects))
	for i, object := range objects {
		names[i] = leaf.Describe(object)
	}
	return trouble.Enumerate(slices.Compact(names))
}

func sentence(text string) string {
	if text == "" {
		return ""
	}
	return trouble.FullStop(text)
}
