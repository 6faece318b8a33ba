package shortcut

import (
	"errors"
	"fmt"
	"strings"

	"github.com/leafmesh/terraform-provider-liqo/internal/steps"
)

// Summary is a headline for an error of this package: the first of its causes, in a few words. It is empty for an error that has none.
func Summary(err error) string {
	if all := accounts(reasons(err)); len(all) > 0 {
		return all[0].headline
	}
	return ""
}

// Detail is what belongs below the headline: what was waited for, what the leaves show of the reason, and what to do; then further causes,
// and how far each step got.
func Detail(err error) string {
	var paragraphs []string
	for i, one := range accounts(reasons(err)) {
		if i > 0 && one.headline != "" {
			one.text = fmt.Sprintf("Besides, %s.\n%s", one.headline, one.text)
		}
		paragraphs = append(paragraphs, one.text)
	}
	problem, ok := errors.AsType[*Problem](err)
	refused := ok && problem.refused
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
