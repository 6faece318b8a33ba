package provider

import (
	"errors"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// message is an error or a warning for users. It ends with the addresses of its entries in the troubleshooting guide,
// if it has any.
type message struct {
	troubles []trouble.ID // that of the headline first
	headline string
	text     string // paragraphs
}

// report returns a message that the provider itself has written.
func report(id trouble.ID, headline, text string) message {
	return message{troubles: []trouble.ID{id}, headline: headline, text: text}
}

// invalid returns the message about a value that is refused. Its text says what to set instead, so it has no entry.
func invalid(headline, text string) message { return report(trouble.NoEntry, headline, text) }

// problemOf returns the message for a problem whose summary names the leaves.
func problemOf(problem *trouble.Problem) message {
	return message{trouble.IDs(problem), trouble.Capital(problem.Summary), trouble.Capital(problem.Detail())}
}

// failureOf returns the message for an error. An error without a headline of its own gets the fallback, and its ID. The
// consequences are paragraphs that follow.
func failureOf(id trouble.ID, fallback string, err error, consequences ...string) message {
	if m := explained(err, consequences...); m.headline != "" {
		return m
	}
	return because(id, fallback, err, consequences...)
}

// because returns a message with a headline of its own, and an error as its cause.
func because(id trouble.ID, headline string, err error, consequences ...string) message {
	m := explained(err, consequences...)
	m.headline, m.troubles = headline, slices.Insert(m.troubles, 0, id)
	return m
}

// explained returns the message for an error that has a headline. Without one, the message has none either.
func explained(err error, consequences ...string) message {
	m := message{
		troubles: explain.Troubles(err), headline: trouble.Capital(trouble.Shown(explain.Summary(err))),
		text: strings.Join(append([]string{detail(err)}, consequences...), "\n\n"),
	}
	if unknown, ok := errors.AsType[*cluster.UnknownNameError](err); ok {
		m.troubles, m.headline = []trouble.ID{leafUnknown}, "Unknown leaf "+unknown.Name
	}
	return m
}

// leafUnknown is the trouble of a name that refers to no leaf.
const leafUnknown trouble.ID = "leaf-unknown"

// help begins the end of a message: the addresses of the guide.
const help = "Help:"

// detail returns the text and the addresses. Terraform breaks long lines, unless they are indented.
func (m message) detail() string {
	var addresses strings.Builder
	for _, id := range m.troubles {
		if id != trouble.NoEntry {
			addresses.WriteString("\n  " + id.Page())
		}
	}
	if addresses.Len() == 0 {
		return m.text
	}
	return m.text + "\n\n" + help + addresses.String()
}

// asError returns the message as an error.
func (m message) asError() diag.Diagnostic { return diag.NewErrorDiagnostic(m.headline, m.detail()) }

// asWarning returns the message as a warning.
func (m message) asWarning() diag.Diagnostic {
	return diag.NewWarningDiagnostic(m.headline, m.detail())
}

// warningsOf returns a warning for each problem that is not nil.
func warningsOf(problems ...*trouble.Problem) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, problem := range problems {
		if problem != nil {
			diags.Append(explained(problem).asWarning())
		}
	}
	return diags
}

// errorAt returns the message as an error about an attribute.
func (m message) errorAt(at path.Path) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(at, m.headline, m.detail())
}

// warningAt returns the message as a warning about an attribute.
func (m message) warningAt(at path.Path) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(at, m.headline, m.detail())
}

// detail returns the text of an error without its headline, as sentences.
func detail(err error) string { return trouble.Sentence(trouble.ShownParagraphs(explain.Detail(err))) }

// asError returns diagnostics as one error, without the addresses of the guide.
func asError(diags diag.Diagnostics) error {
	var errs []error
	for _, one := range diags.Errors() {
		text, _, _ := strings.Cut(one.Detail(), "\n\n"+help)
		errs = append(errs, errors.New(one.Summary()+": "+text))
	}
	return errors.Join(errs...)
}
