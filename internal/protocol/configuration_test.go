package protocol

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// block is a block of a configuration, such as a resource.
type block struct {
	kind      string // provider, resource, data, import or variable
	address   string // as in Terraform's output; that of a provider is liqo or liqo.ALIAS
	typeName  string
	provider  string // the address of its provider
	values    hclsyntax.Attributes
	dependsOn []string
}

// configuration is the blocks of a configuration, in their order.
type configuration []*block

// parse reads a configuration.
func parse(text string) (configuration, error) {
	file, problems := hclsyntax.ParseConfig([]byte(text), "main.tf", hcl.InitialPos)
	if problems.HasErrors() {
		return nil, problems
	}
	var blocks configuration
	for _, one := range file.Body.(*hclsyntax.Body).Blocks { //nolint:errcheck,forcetypeassert // documented
		b, err := newBlock(one)
		if err != nil {
			return nil, err
		}
		if b.kind != "terraform" { // it is for Terraform only
			blocks = append(blocks, b)
		}
	}
	return blocks, nil
}

func newBlock(one *hclsyntax.Block) (*block, error) {
	b := &block{kind: one.Type, address: strings.Join(one.Labels, "."), values: hclsyntax.Attributes{}, provider: "liqo"}
	if len(one.Labels) > 0 {
		b.typeName = one.Labels[0]
	}
	if b.kind == "data" {
		b.address = "data." + b.address
	}
	if b.kind != "terraform" && len(one.Body.Blocks) > 0 {
		return nil, fmt.Errorf("%s: a project knows no block %q", b.address, one.Body.Blocks[0].Type)
	}
	for name, attribute := range one.Body.Attributes {
		switch {
		case name == "alias":
			b.address += "." + literal(attribute.Expr)
		case name == "provider":
			b.provider = addressIn(attribute.Expr)
		case name == "to" && b.kind == "import":
			b.address = addressIn(attribute.Expr)
		case name == "depends_on":
			elements, problems := hcl.ExprList(attribute.Expr)
			if problems.HasErrors() {
				return nil, problems
			}
			for _, element := range elements {
				b.dependsOn = append(b.dependsOn, addressIn(element))
			}
		case name == "count" || name == "for_each":
			return nil, fmt.Errorf("%s: a project knows no %s", b.address, name)
		default:
			b.values[name] = attribute
		}
	}
	return b, nil
}

func literal(expression hcl.Expression) string {
	value, problems := expression.Value(nil)
	if problems.HasErrors() {
		panic(problems)
	}
	return value.AsString()
}

// addressIn returns the address that an expression refers to.
func addressIn(expression hcl.Expression) string {
	traversal, problems := hcl.AbsTraversalForExpr(expression)
	if problems.HasErrors() {
		panic(problems)
	}
	return addressOf(traversal)
}

func addressOf(traversal hcl.Traversal) string {
	names := []string{traversal.RootName()}
	for _, step := range traversal[1:] {
		if step, ok := step.(hcl.TraverseAttr); ok {
			names = append(names, step.Name)
		}
	}
	length := 2
	if names[0] == "data" {
		length = 3
	}
	return strings.Join(names[:min(length, len(names))], ".")
}

// find returns the block with this address, or nil. An import is none: its address is that of its resource.
func (c configuration) find(address string) *block {
	for _, b := range c {
		if b.address == address && b.kind != "import" {
			return b
		}
	}
	return nil
}

// of returns the blocks of these kinds.
func (c configuration) of(kinds ...string) configuration {
	var found configuration
	for _, b := range c {
		if slices.Contains(kinds, b.kind) {
			found = append(found, b)
		}
	}
	return found
}

// references returns the addresses that a block refers to, but for those that it only depends on.
func (b *block) references() []string {
	var addresses []string
	for _, attribute := range b.values {
		for _, traversal := range attribute.Expr.Variables() {
			addresses = append(addresses, addressOf(traversal))
		}
	}
	return addresses
}

// evaluate returns the value of a block. The scope has values by their addresses.
func (b *block) evaluate(of schema, scope map[string]cty.Value) (cty.Value, error) {
	values, ctx := map[string]cty.Value{}, &hcl.EvalContext{Variables: tree(scope)}
	for name, attribute := range b.values {
		if !of.of.HasAttribute(name) {
			return cty.NilVal, fmt.Errorf("Unsupported argument: %s has no %q", b.address, name)
		}
		value, problems := attribute.Expr.Value(ctx)
		if problems.HasErrors() {
			return cty.NilVal, problems
		}
		values[name] = value
	}
	for _, a := range of.attributes {
		if _, ok := values[a.Name]; a.Required && !ok {
			return cty.NilVal, fmt.Errorf("Missing required argument: %s lacks %q", b.address, a.Name)
		}
	}
	return fill(cty.ObjectVal(values), of.of)
}

// tree returns values by the first part of their addresses, as HCL looks them up.
func tree(values map[string]cty.Value) map[string]cty.Value {
	below, roots := map[string]map[string]cty.Value{}, map[string]cty.Value{}
	for address, value := range values {
		root, rest, more := strings.Cut(address, ".")
		if !more {
			roots[root] = value
			continue
		}
		if below[root] == nil {
			below[root] = map[string]cty.Value{}
		}
		below[root][rest] = value
	}
	for root, values := range below {
		roots[root] = cty.ObjectVal(tree(values))
	}
	return roots
}
