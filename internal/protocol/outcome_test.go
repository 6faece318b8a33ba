package protocol

import (
	"fmt"
	"regexp"
	"slices"
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
	address  string
	block    *block    // nil if the configuration has none
	action   string    // no-op, create, update, delete or replace
	prior    *instance // nil if there is none
	planned  cty.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	imported bool
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
	var text strings.Builder
	for i, step := range path.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			if i > 0 {
				text.WriteString(".")
			}
			text.WriteString(string(step))
		case tftypes.ElementKeyString:
			fmt.Fprintf(&text, "[%q]", string(step))
		case tftypes.ElementKeyInt:
			fmt.Fprintf(&text, "[%d]", int64(step))
		}
	}
	value := along(path, config)
	switch {
	case value.IsNull() || !value.IsKnown() || !value.Type().IsPrimitiveType():
		return text.String()
	case value.Type() == cty.String:
		return fmt.Sprintf("%s = %q", text.String(), value.AsString())
	default:
		return text.String() + " = " + shown(value)
	}
}

// along returns the value at the end of a path, or null if there is none.
func along(path *tftypes.AttributePath, value cty.Value) cty.Value {
	end, _, err := tftypes.WalkAttributePath(walked{value}, path)
	if found, ok := end.(walked); ok && err == nil {
		return found.Value
	}
	return cty.NullVal(cty.DynamicPseudoType)
}

// walked is a value on a path.
type walked struct{ cty.Value }

// ApplyTerraform5AttributePathStep implements [tftypes.AttributePathStepper].
func (w walked) ApplyTerraform5AttributePathStep(step tftypes.AttributePathStep) (any, error) {
	if w.Value == cty.NilVal || w.IsNull() || !w.IsKnown() {
		return nil, tftypes.ErrInvalidStep
	}
	key := cty.NilVal
	switch step := step.(type) {
	case tftypes.AttributeName:
		if w.Type().IsObjectType() && w.Type().HasAttribute(string(step)) {
			return walked{w.GetAttr(string(step))}, nil
		}
		return nil, tftypes.ErrInvalidStep
	case tftypes.ElementKeyString:
		key = cty.StringVal(string(step))
	case tftypes.ElementKeyInt:
		key = cty.NumberIntVal(int64(step))
	}
	if key == cty.NilVal || w.Type().IsObjectType() || !w.HasIndex(key).True() {
		return nil, tftypes.ErrInvalidStep
	}
	return walked{w.Index(key)}, nil
}

// pathAtEnd is for the path of an attribute, perhaps with its value, alone or after the address of its resource.
var pathAtEnd = regexp.MustCompile(`(^|^with [\w.]+,) ?[a-z_]+(\.[a-z_]+|\[.*\])*( = .*)?$`)

// says fails the test unless the command has said all of these sentences. Line breaks do not matter.
func (o *outcome) says(sentences ...string) {
	o.t.Helper()
	for _, sentence := range sentences {
		if cli != "" { // it shows the lines of the resource
			sentence = pathAtEnd.ReplaceAllString(sentence, "$1")
		}
		if !strings.Contains(unbroken(o.text.String()), unbroken(sentence)) {
			o.t.Errorf("%q is missing in:\n%s", sentence, o.text.String())
		}
	}
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
func (o *outcome) does(action, address string) {
	o.t.Helper()
	if got := o.change(address).action; got != action {
		o.t.Errorf("the plan for %s is %s, not %s", address, got, action)
	}
}

// plans fails the test unless the plan has a value, or [unknown], at an attribute of a resource; see [at].
func (o *outcome) plans(address, expected string, steps ...any) {
	o.t.Helper()
	if got := shown(at(o.change(address).planned, steps...)); got != expected {
		o.t.Errorf("%v of %s is planned to be %s, not %s", steps, address, got, expected)
	}
}

// isEmpty fails the test if the plan changes anything.
func (o *outcome) isEmpty() {
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
	i := slices.IndexFunc(o.changes, func(c *change) bool { return c.address == address })
	if i < 0 {
		o.t.Fatalf("the plan has no %s:\n%s", address, o.text.String())
	}
	return o.changes[i]
}
