package protocol

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// outcome is what a command has said and planned.
type outcome struct {
	t       *testing.T
	text    strings.Builder
	failed  bool
	changes []*change
}

// change is what a plan does with a resource.
type change struct {
	address, typeName, provider string

	action   string    // no-op, create, update, delete or replace
	prior    *instance // nil if there is none
	planned  cty.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	imported bool
}

// change returns one of a resource, of which nothing is known yet.
func (b *block) change() *change {
	return &change{address: b.address, typeName: b.typeName, provider: b.provider}
}

// told adds diagnostics, as Terraform shows them: without an address for an import or a deletion, which have no
// configuration. The configuration shows the value of an attribute. It reports whether one of them is an error.
func (o *outcome) told(address string, config cty.Value, diagnostics []*tfprotov6.Diagnostic) bool {
	failed := false
	for _, d := range diagnostics {
		severity := "Warning"
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			severity, failed = "Error", true
		}
		place := ""
		if address != "" {
			place = "  with " + address + ",\n"
		}
		if d.Attribute != nil {
			place += "  " + attributeText(d.Attribute, config) + "\n"
		}
		fmt.Fprintf(&o.text, "%s: %s\n\n%s\n%s\n\n", severity, d.Summary, place, d.Detail)
	}
	o.failed = o.failed || failed
	return failed
}

// fail adds an error that is not the provider's.
func (o *outcome) fail(address string, err error) {
	o.failed = true
	fmt.Fprintf(&o.text, "Error: %s\n\n  with %s,\n\n", err, address)
}

// attributeText returns the path of an attribute and, if it is simple, its value.
func attributeText(path *tftypes.AttributePath, config cty.Value) string {
	steps, text := stepsOf(path), ""
	for _, step := range steps {
		switch step := step.(type) {
		case cty.GetAttrStep:
			text += "." + step.Name
		case cty.IndexStep:
			text += "[" + quoted(step.Key) + "]"
		}
	}
	if value := along(steps, config); value.IsKnown() && !value.IsNull() && value.Type().IsPrimitiveType() {
		text += " = " + quoted(value)
	}
	return strings.TrimPrefix(text, ".")
}

// quoted returns a simple value as a configuration has it.
func quoted(value cty.Value) string {
	if value.Type() == cty.String {
		return strconv.Quote(value.AsString())
	}
	return shown(value)
}

// stepsOf returns the path of an attribute, up to an element of a set, if there is one.
func stepsOf(path *tftypes.AttributePath) cty.Path {
	var steps cty.Path
	for _, step := range path.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			steps = steps.GetAttr(string(step))
		case tftypes.ElementKeyString:
			steps = steps.IndexString(string(step))
		case tftypes.ElementKeyInt:
			steps = steps.IndexInt(int(step))
		default:
			return steps
		}
	}
	return steps
}

// along returns the value at the end of a path, or null if there is none.
func along(path cty.Path, value cty.Value) cty.Value {
	found, err := path.Apply(value)
	if err != nil {
		return cty.NullVal(cty.DynamicPseudoType)
	}
	return found
}

// pathAtEnd is for the path of an attribute, perhaps with its value, alone or after the address of its resource.
var pathAtEnd = regexp.MustCompile(`(^|^with [\w.]+,) ?[a-z_]+(\.[a-z_]+|\[.*\])*( = .*)?$`)

// says fails the test unless the command has said all of these sentences. Line breaks do not matter.
func (o *outcome) says(sentences ...string) *outcome {
	o.t.Helper()
	for _, sentence := range sentences {
		if cli != "" { // it shows the lines of the resource
			sentence = pathAtEnd.ReplaceAllString(sentence, "$1")
		}
		if !strings.Contains(unbroken(o.text.String()), unbroken(sentence)) {
			o.t.Errorf("%q is missing in:\n%s", sentence, o.text.String())
		}
	}
	return o
}

// doesNotSay fails the test if the command has said this sentence.
func (o *outcome) doesNotSay(sentence string) {
	o.t.Helper()
	if strings.Contains(unbroken(o.text.String()), unbroken(sentence)) {
		o.t.Errorf("unexpected %q in:\n%s", sentence, o.text.String())
	}
}

func unbroken(text string) string { return strings.Join(strings.Fields(text), " ") }

// does fails the test unless the plan does this with a resource: no-op, create, update, delete or replace.
func (o *outcome) does(action, address string) *outcome {
	o.t.Helper()
	if got := o.change(address).action; got != action {
		o.t.Errorf("the plan for %s is %s, not %s", address, got, action)
	}
	return o
}

// plans fails the test unless the plan has a value, or [unknown], at an attribute of a resource; see [at].
func (o *outcome) plans(address, expected string, steps ...any) *outcome {
	o.t.Helper()
	if got := shown(at(o.change(address).planned, steps...)); got != expected {
		o.t.Errorf("%v of %s is planned to be %s, not %s", steps, address, got, expected)
	}
	return o
}

// isEmpty fails the test if the plan changes anything.
func (o *outcome) isEmpty() *outcome {
	o.t.Helper()
	var found []string
	for _, c := range o.changes {
		switch {
		case c.imported:
			found = append(found, "import "+c.address)
		case c.action == "update":
			found = append(found, "update "+strings.Join(differences(c), "\n  "))
		case c.action != "no-op":
			found = append(found, c.action+" "+c.address)
		}
	}
	if len(found) > 0 {
		o.t.Fatalf("the plan is not empty:\n%s\n\n%s", strings.Join(found, "\n"), o.text.String())
	}
	return o
}

// differences returns what an update changes.
func differences(c *change) []string {
	known, _ := cty.Transform(c.planned, func(_ cty.Path, value cty.Value) (cty.Value, error) {
		if !value.IsKnown() {
			return cty.NullVal(value.Type()), nil // so that it differs, too
		}
		return value, nil
	})
	return unkept(c.prior.value, known, c.address)
}

func (o *outcome) change(address string) *change {
	o.t.Helper()
	found := o.find(address)
	if found == nil {
		o.t.Fatalf("the plan has no %s:\n%s", address, o.text.String())
	}
	return found
}

// find returns the change of a resource, or nil.
func (o *outcome) find(address string) *change {
	for _, c := range o.changes {
		if c.address == address {
			return c
		}
	}
	return nil
}
