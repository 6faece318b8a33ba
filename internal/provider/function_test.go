package provider

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// call runs a function in the same way as Terraform.
func call(t *testing.T, f function.Function, arguments ...attr.Value) (attr.Value, *function.FuncError) {
	t.Helper()
	var definition function.DefinitionResponse
	f.Definition(t.Context(), function.DefinitionRequest{}, &definition)
	result, err := definition.Definition.Return.NewResultData(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	response := function.RunResponse{Result: result}
	f.Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData(arguments)}, &response)
	return response.Result.Value(), response.Error
}

func texts(values ...string) types.List {
	elements := make([]attr.Value, len(values))
	for i, value := range values {
		elements[i] = types.StringValue(value)
	}
	return types.ListValueMust(types.StringType, elements)
}

// callTexts calls a function whose arguments are texts.
func callTexts(t *testing.T, f function.Function, arguments ...string) (attr.Value, *function.FuncError) {
	t.Helper()
	return call(t, f, texts(arguments...).Elements()...)
}

// calledMesh calls mesh with a list of names, and with those that can't be dialed.
func calledMesh(t *testing.T, names types.List, undialable ...string) (attr.Value, *function.FuncError) {
	t.Helper()
	kinds := slices.Repeat([]attr.Type{types.StringType}, len(undialable))
	return call(t, newMeshFunction(), names, types.TupleValueMust(kinds, texts(undialable...).Elements()))
}

// refuses fails the test unless an error is about this argument, and says this.
func refuses(t *testing.T, err *function.FuncError, argument int64, expected string) {
	t.Helper()
	if err == nil || err.FunctionArgument == nil || *err.FunctionArgument != argument || err.Text != expected {
		t.Errorf("the error is %v, expected at argument %d: %s", err, argument, expected)
	}
}

func TestAMeshHasEachPairOnce(t *testing.T) {
	const none = "{}"
	// By default, the first of the sorted names dials.
	const three = `{"milan-naples":{"client":"milan","server":"naples"},"milan-rome":{"client":"milan","server":"rome"},` +
		`"naples-rome":{"client":"naples","server":"rome"}}`
	const withoutNaples = `{"milan-naples":{"client":"naples","server":"milan"},` +
		`"milan-rome":{"client":"milan","server":"rome"},"naples-rome":{"client":"naples","server":"rome"}}`
	all := []string{"rome", "milan", "naples"}
	for name, test := range map[string]struct {
		names, undialable []string
		expected          string
	}{
		"no leaf":                       {nil, nil, none},
		"one leaf":                      {[]string{"rome"}, nil, none},
		"three leaves":                  {all, nil, three},
		"in another order":              {[]string{"naples", "rome", "milan"}, nil, three},
		"one that can't be dialed":      {all, []string{"naples"}, withoutNaples},
		"the same one, which is listed": {all, []string{"naples", "naples"}, withoutNaples},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := calledMesh(t, texts(test.names...), test.undialable...); err != nil || got.String() != test.expected {
				t.Errorf("got %s (%v), expected %s", got, err, test.expected)
			}
		})
	}
}

func TestAMeshOfInvalidNamesIsRejected(t *testing.T) {
	withNull := types.ListValueMust(types.StringType, []attr.Value{types.StringValue("rome"), types.StringNull()})
	for name, test := range map[string]struct {
		names      types.List
		undialable []string
		argument   int64
		expected   string
	}{
		"an empty name": {texts("rome", ""), nil, 0, `The name at index 1 is null or empty.`},
		"no name":       {withNull, nil, 0, `The name at index 1 is null or empty.`},
		"a name twice": {
			texts("rome", "milan", "rome"), nil, 0,
			`The name "rome" occurs twice. A cluster has no shortcut with itself.`,
		},
		"two pairs with one key": {
			texts("c", "b-c", "a-b", "a"), nil, 0,
			`The pair "a", "b-c" and the pair "a-b", "c" would both have the key "a-b-c". ` +
				"Rename one of the clusters in the provider's `clusters`.",
		},
		"a name more": {texts("rome", "milan"), []string{"rome", "turin"}, 2, `"turin" is not one of the names.`},
		"two that can't be dialed": {
			texts("rome", "milan", "naples"), []string{"rome", "milan"}, 2,
			`Neither "rome" nor "milan" can be dialed, so nothing can connect the two. Leave one of them out of the ` +
				`mesh, and connect it with the others in blocks of its own.`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := calledMesh(t, test.names, test.undialable...)
			refuses(t, err, test.argument, test.expected)
		})
	}
}

func TestARemappedAddressKeepsItsHostPart(t *testing.T) {
	for _, test := range []struct{ ip, from, to, expected string }{
		{"10.1.3.4", "10.1.0.0/16", "10.71.0.0/16", "10.71.3.4"},
		{"10.1.3.4", "10.1.0.0/16", "10.1.0.0/16", "10.1.3.4"},
		{"10.255.63.255", "10.255.0.0/18", "78.5.64.0/18", "78.5.127.255"},
		{"10.1.2.3", "10.0.0.0/9", "172.128.0.0/9", "172.129.2.3"},
		{"10.1.2.3", "0.0.0.0/0", "0.0.0.0/0", "10.1.2.3"},
		{"10.1.2.3", "10.1.2.3/32", "10.9.9.9/32", "10.9.9.9"},
		{"10.1.3.4", "10.1.77.77/16", "10.71.99.99/16", "10.71.3.4"},
		{"fd00:1::a:b", "fd00:1::/64", "fd00:2::/64", "fd00:2::a:b"},
		{"fd00:10::1", "fd00::/12", "fda0::/12", "fda0:10::1"},
	} {
		t.Run(test.ip+" from "+test.from+" to "+test.to, func(t *testing.T) {
			got, err := callTexts(t, newRemapIPFunction(), test.ip, test.from, test.to)
			if err != nil || !got.Equal(types.StringValue(test.expected)) {
				t.Errorf("got %s (%v), expected %s", got, err, test.expected)
			}
		})
	}
}

// noRange ends the text of an error.
const noRange = " is not an address range in CIDR notation, such as 10.1.0.0/16."

func TestAnAddressThatCannotBeRemappedIsAnErrorOfTheWrongArgument(t *testing.T) {
	for _, test := range []struct {
		ip, from, to string
		argument     int64
		expected     string
	}{
		{"10.1.3", "10.1.0.0/16", "10.71.0.0/16", 0, `"10.1.3" is not an IP address.`},
		{"fe80::1%eth0", "fe80::/16", "fe81::/16", 0, `"fe80::1%eth0" is not an IP address.`},
		{"10.2.0.1", "10.1.0.0/16", "10.71.0.0/16", 0, `10.2.0.1 is not in 10.1.0.0/16.`},
		{"fd00::1", "10.1.0.0/16", "10.71.0.0/16", 0, `fd00::1 is not in 10.1.0.0/16.`},
		{"10.1.3.4", "10.1.0.0", "10.71.0.0/16", 1, `"10.1.0.0"` + noRange},
		{"10.1.3.4", "10.1.0.0/16", "10.71.0.0/99", 2, `"10.71.0.0/99"` + noRange},
		{"10.1.3.4", "10.1.0.0/16", "fd00::/16", 2, `10.1.0.0/16 and fd00::/16 have different IP versions.`},
		{
			"10.1.3.4", "10.1.0.0/16", "10.71.0.0/17", 2,
			`10.1.0.0/16 and 10.71.0.0/17 have different sizes. Liqo remaps a range to one of the same size.`,
		},
	} {
		t.Run(test.ip+" from "+test.from+" to "+test.to, func(t *testing.T) {
			_, err := callTexts(t, newRemapIPFunction(), test.ip, test.from, test.to)
			refuses(t, err, test.argument, test.expected)
		})
	}
}

func TestRangesWithACommonAddressOverlap(t *testing.T) {
	for _, test := range []struct {
		a, b     string
		expected bool
	}{
		{"10.0.0.0/8", "10.1.0.0/16", true},
		{"10.1.0.0/16", "10.0.0.0/8", true},
		{"10.1.0.0/16", "10.1.0.0/16", true},
		{"10.1.0.0/16", "10.2.0.0/16", false},
		{"10.1.255.255/16", "10.1.0.0/32", true},
		{"fd00::/8", "fd00:1::/64", true},
		{"0.0.0.0/0", "::/0", false},
	} {
		t.Run(test.a+" and "+test.b, func(t *testing.T) {
			got, err := callTexts(t, newCIDRsOverlapFunction(), test.a, test.b)
			if err != nil || !got.Equal(types.BoolValue(test.expected)) {
				t.Errorf("they overlap: %s (%v)", got, err)
			}
		})
	}
	_, err := callTexts(t, newCIDRsOverlapFunction(), "10.1.0.0", "10.1.0.0/16")
	refuses(t, err, 0, `"10.1.0.0"`+noRange)
	_, err = callTexts(t, newCIDRsOverlapFunction(), "10.1.0.0/16", "here")
	refuses(t, err, 1, `"here"`+noRange)
}
