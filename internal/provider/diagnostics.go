package provider

import (
	"errors"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/explain"
)

// summary returns the headline of an error, or the fallback if the error has none.
func summary(fallback string, err error) string {
	if unknown, ok := errors.AsType[*cluster.UnknownNameError](err); ok {
		return "Unknown leaf " + unknown.Name
	}
	if headline := explain.Summary(err); headline != "" {
		return capital(cluster.Shown(headline))
	}
	return fallback
}

// detail returns the text of an error without its headline, as sentences.
func detail(err error) string {
	text := capital(cluster.ShownParagraphs(explain.Detail(err)))
	if !strings.HasSuffix(text, ".") && !strings.Contains(text, "\n") {
		text += "."
	}
	return text
}

// asError returns diagnostics as one error.
func asError(diags diag.Diagnostics) error {
	var errs []error
	for _, one := range diags.Errors() {
		errs = append(errs, errors.New(one.Summary()+": "+one.Detail()))
	}
	return errors.Join(errs...)
}

func capital(text string) string {
	for i, first := range text {
		return string(unicode.ToUpper(first)) + text[i+len(string(first)):]
	}
	return text
}
