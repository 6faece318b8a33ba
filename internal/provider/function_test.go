package provider

import (
	"strings"
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

// calledMesh calls mesh with a list of names, and with those that can't be dialed.
func calledMesh(t *testing.T, names types.List, undialable ...string) (attr.Value, *function.FuncError) {
	t.Helper()
	values := make([]attr.Value, len(undialable))
	kinds := make([]attr.Type, len(undialable))
	for i, name := range undialable {
		values[i], kinds[i] = types.StringValue(name), types.StringType
	}
	return call(t, newMeshFunction(), names, types.TupleValueMust(kinds, values))
}

func TestAMeshHasEachPairOnceAndTheFirstOfTheSortedNamesDials(t *testing.T) {
	const three = `{"milan-naples":{"client":"milan","server":"naples"},"milan-rome":{"client":"milan","server":"rome"},` +
		`"naples-rome":{"client":"naples","server":"rome"}}`
	for _, test := range []struct {
		names    []string
		expected string
	}{
		{nil, `{}`},
		{[]string{"rome"}, `{}`},
		{[]string{"rome", "milan", "naples"}, three},
		{[]string{"naples", "rome", "milan"}, three},
	} {
		if got, err := calledMesh(t, texts(test.names...)); err != nil || got.String() != test.expected {
			t.Errorf("%q: %s (%v)", test.names, got, err)
		}
	}
}

func TestAClusterOfAMeshThatCannotBeDialedDialsInEachOfItsPairs(t *testing.T) {
	const expected = `{"milan-naples":{"client":"naples","server":"milan"},` +
		`"milan-rome":{"client":"milan","server":"rome"},"naples-rome":{"client":"naples","server":"rome"}}`
	for _, undialable := range [][]string{{"naples"}, {"naples", "naples"}} {
		got, err := calledMesh(t, texts("rome", "milan", "naples"), undialable...)
		if err != nil || got.String() != expected {
			t.Errorf("%q: %s (%v)", undialable, got, err)
		}
	}
}

func TestAMeshOfInvalidNamesIsRejected(t *testing.T) {
	const ambiguous = `The pair "a", "b-c" and the pair "a-b", "c" would both have the key "a-b-c". ` +
		"Rename one of the clusters in the provider's `clusters`."
	withNull := types.ListValueMust(types.StringType, []attr.Value{types.StringValue("rome"), types.StringNull()})
	for _, test := range []struct {
		names      types.List
		undialable []string
		argument   int64
		expected   string
	}{
		{texts("rome", ""), nil, 0, `The name at index 1 is null or empty.`},
		{withNull, nil, 0, `The name at index 1 is null or empty.`},
		{
			texts("rome", "milan", "rome"), nil, 0,
			`The name "rome" occurs twice. A cluster has no shortcut with itself.`,
		},
		{texts("c", "b-c", "a-b", "a"), nil, 0, ambiguous},
		{texts("rome", "milan"), []string{"rome", "turin"}, 2, `"turin" is not one of the names.`},
		{
			texts("rome", "milan", "naples"), []string{"rome", "milan"}, 2,
			`Neither "rome" nor "milan" can be dialed, so nothing can connect the two. Leave one of them out of the ` +
				`mesh, and connect it with the others in blocks of its own.`,
		},
	} {
		_, err := calledMesh(t, test.names, test.undialable...)
		if err == nil || err.FunctionArgument == nil || *err.FunctionArgument != test.argument || err.Text != test.expected {
			t.Errorf("%s, %q: %v", test.names, test.undialable, err)
		}
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
		got, err := call(
			t, newRemapIPFunction(), types.StringValue(test.ip), types.StringValue(test.from), types.StringValue(test.to),
		)
		if err != nil || !got.Equal(types.StringValue(test.expected)) {
			t.Errorf("%s from %s to %s: %s (%v), expected %s", test.ip, test.from, test.to, got, err, test.expected)
		}
	}
}

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
		{
			"10.1.3.4", "10.1.0.0", "10.71.0.0/16", 1,
			`"10.1.0.0" is not an address range in CIDR notation, such as 10.1.0.0/16.`,
		},
		{
			"10.1.3.4", "10.1.0.0/16", "10.71.0.0/99", 2,
			`"10.71.0.0/99" is not an address range in CIDR notation, such as 10.1.0.0/16.`,
		},
		{"10.1.3.4", "10.1.0.0/16", "fd00::/16", 2, `10.1.0.0/16 and fd00::/16 have different IP versions.`},
		{
			"10.1.3.4", "10.1.0.0/16", "10.71.0.0/17", 2,
			`10.1.0.0/16 and 10.71.0.0/17 have different sizes. Liqo remaps a range to one of the same size.`,
		},
	} {
		_, err := call(
			t, newRemapIPFunction(), types.StringValue(test.ip), types.StringValue(test.from), types.StringValue(test.to),
		)
		if err == nil || err.FunctionArgument == nil || *err.FunctionArgument != test.argument || err.Text != test.expected {
			t.Errorf("%s from %s to %s: %v", test.ip, test.from, test.to, err)
		}
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
		got, err := call(t, newCIDRsOverlapFunction(), types.StringValue(test.a), types.StringValue(test.b))
		if err != nil || !got.Equal(types.BoolValue(test.expected)) {
			t.Errorf("%s, %s: %s (%v)", test.a, test.b, got, err)
		}
	}
}

func TestAnInvalidRangeIsNamedInTheError(t *testing.T) {
	_, err := call(t, newCIDRsOverlapFunction(), types.StringValue("10.1.0.0"), types.StringValue("10.1.0.0/16"))
	if err == nil || *err.FunctionArgument != 0 || !strings.Contains(err.Text, `"10.1.0.0"`) {
		t.Errorf("got %v", err)
	}
	_, err = call(t, newCIDRsOverlapFunction(), types.StringValue("10.1.0.0/16"), types.StringValue("here"))
	if err == nil || *err.FunctionArgument != 1 || !strings.Contains(err.Text, `"here"`) {
		t.Errorf("got %v", err)
	}
}
