package end

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	enutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/external-network/utils"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// optional is the marker of a field that a template sets only if the variable in its value is set. Liqo 1.0 to 1.2 have
// no other one.
const optional = "?"

// templateError says why a template can't be rendered.
type templateError struct {
	place  string // the place in the template, as a path of fields
	reason string
	marker bool // the reason is a marker that this provider does not know
}

// Error implements [error].
func (t *templateError) Error() string { return "at `" + t.place + "`, " + t.reason }

// unrenderable says what is wrong with a template, and what to do.
func (e *End) unrenderable(template *unstructured.Unstructured, failure *templateError) *trouble.Problem {
	remedy := "Liqo can't render it either. Correct it, or set `template` of this gateway to another one. If it came " +
		"with Liqo, the template and Liqo's custom resource definitions on this leaf may be of different versions: `helm " +
		"upgrade` does not update definitions."
	if failure.marker {
		remedy = "This version of the provider knows only the marker `" + optional + "`, as Liqo 1.0 to 1.2 do, so it " +
			"can't tell what a change of the gateway would do. Use a newer version of the provider, or set `template` of " +
			"this gateway to a template without the marker."
	}
	return &trouble.Problem{
		ID: "template-not-renderable", Leaf: e.Leaf.Name, Summary: "the template can't be rendered", Err: failure,
		Advice: fmt.Sprintf("%s can't be used: %s. %s",
			e.Leaf.Describe(template), cluster.Shown(failure.Error()), remedy),
	}
}

// check finds the first place of a template that can't be rendered. Liqo's own renderer does not say where it fails, it
// ends the program at a value that it does not expect, and it takes an unknown marker for a part of a name.
func (r rendering) check(place string, value any) error {
	switch value := value.(type) {
	case nil:
		return &templateError{place: place, reason: "there is no value"}
	case string:
		return r.try(place, value, value)
	case []any:
		for i, element := range value {
			if err := r.check(fmt.Sprintf("%s[%d]", place, i), element); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if err := r.checkField(place+"."+key, key, value[key]); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkField checks a field with its key, which may begin with a marker.
func (r rendering) checkField(place, key string, value any) error {
	text, isText := value.(string)
	switch begins := firstOf(key); {
	case begins == optional && isText:
		return r.try(place, map[string]any{key: text}, text)
	case begins == optional:
		return &templateError{place: place, reason: "the marker `" + optional + "` is before something else than a text"}
	case begins != "":
		return &templateError{
			place: place, marker: true, reason: "the key begins with `" + begins + "`, which is a marker",
		}
	}
	return r.check(place, value)
}

// firstOf returns the first character of a key if it is a marker. The name of a field, a label or an annotation begins
// with a letter or a digit.
func firstOf(key string) string {
	first, _ := utf8.DecodeRuneInString(key)
	if key == "" || unicode.IsLetter(first) || unicode.IsDigit(first) {
		return ""
	}
	return string(first)
}

// try renders a small part of a template that has this text.
func (r rendering) try(place string, part any, text string) error {
	if _, err := enutils.RenderTemplate(part, r, false); err != nil {
		return &templateError{place: place, reason: "`" + text + "` fails: " + reasonOf(err)}
	}
	return nil
}

// reasonOf returns what Go says about a template, without the name of the template, which Liqo leaves empty, and
// without the types of [liqo.Schema.TemplateData].
func reasonOf(err error) string {
	text := strings.TrimPrefix(err.Error(), "template: :")
	if _, after, ok := strings.Cut(text, `executing "" at `); ok {
		text = after
	}
	text, _, _ = strings.Cut(text, " in type ")
	return text
}
