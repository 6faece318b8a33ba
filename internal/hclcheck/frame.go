package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// requirement is the provider's source. Without it, Terraform would look for the provider under hashicorp/.
const requirement = "terraform {\n  required_providers {\n    liqo = { source = \"leafmesh/liqo\" }\n  }\n}\n"

// fragment is the start of a resource for a block that consists of bare attributes.
const (
	fragment      = "resource \"liqo_shortcut\" \"fragment\" {\n  client = \"rome\"\n  server = \"milan\"\n"
	fragmentLines = 3
)

// oneEnd are the attributes that every resource for one end requires.
const oneEnd = "  cluster = \"rome\"\n  remote_cluster_id = \"milan\"\n"

// required are the attributes that each resource requires.
var required = map[string]string{
	"liqo_shortcut":          "  client = \"rome\"\n  server = \"milan\"\n",
	"liqo_connectivity_test": "  client = \"rome\"\n  server = \"milan\"\n",
	"liqo_configuration":     oneEnd + "  pod_cidrs = [\"10.1.0.0/16\"]\n  external_cidr = \"10.2.0.0/16\"\n",
	"liqo_gateway_server":    oneEnd,
	"liqo_gateway_client":    oneEnd + "  server_endpoint = { addresses = [\"192.0.2.1\"], port = 51840 }\n",
	"liqo_public_key":        oneEnd + "  public_key = \"GbkWcOMXqEMp0TUq5lNbCzmLYTrjFqvzDdGNYHaNXH8=\"\n",
}

// configuration is the content of a folder that Terraform can validate.
type configuration struct {
	files    map[string]string // file name to text
	requires version.Constraints
}

// frame returns a configuration that consists of the block and of everything that it omits: the provider's source, the
// variables and shortcuts that it refers to, and the resource around bare attributes. The block's text keeps its line
// numbers of the Markdown file.
func (b block) frame() (configuration, error) {
	parsed, diags := hclsyntax.ParseConfig([]byte(b.text), b.file, hcl.Pos{Line: b.line, Column: 1})
	if diags.HasErrors() {
		return configuration{}, diags
	}
	body, ok := parsed.Body.(*hclsyntax.Body)
	if !ok {
		return configuration{}, fmt.Errorf("%s:%d: not in HCL's native syntax", b.file, b.line)
	}
	name, before, after := "main.tf", strings.Repeat("\n", b.line-1), ""
	switch {
	case has(body, "run"):
		name = "main.tftest.hcl"
	case len(body.Attributes) > 0: // the start of the resource replaces the lines above the block
		before, after = strings.Repeat("\n", b.line-fragmentLines-1)+fragment, "}\n"
	}
	requires, err := requiredVersion(body)
	return configuration{map[string]string{name: before + b.text + after, "frame.tf": frameOf(body)}, requires}, err
}

// actions is what a block with an action requires, which OpenTofu does not have.
const actions = ">= 1.14"

// requiredVersion returns the block's own `required_version`, or what its content requires. Otherwise, every version is
// accepted.
func requiredVersion(body *hclsyntax.Body) (version.Constraints, error) {
	for _, b := range body.Blocks {
		if attribute := b.Body.Attributes["required_version"]; b.Type == "terraform" && attribute != nil {
			value, diags := attribute.Expr.Value(nil)
			if diags.HasErrors() {
				return nil, diags
			}
			return version.NewConstraint(value.AsString())
		}
	}
	if has(body, "action") {
		return version.NewConstraint(actions)
	}
	return nil, nil
}

func has(body *hclsyntax.Body, kind string) bool {
	return slices.ContainsFunc(body.Blocks, func(b *hclsyntax.Block) bool { return b.Type == kind })
}

// frameOf returns HCL that declares everything that the body refers to and does not declare.
func frameOf(body *hclsyntax.Body) string {
	declared, used := map[string]bool{}, map[string]bool{}
	requires := false
	for _, b := range body.Blocks {
		switch {
		case b.Type == "variable" && len(b.Labels) == 1:
			declared["var."+b.Labels[0]] = true
		case b.Type == "resource" && len(b.Labels) == 2:
			declared[b.Labels[0]+"."+b.Labels[1]] = true
		case b.Type == "terraform":
			requires = requires || has(b.Body, "required_providers")
		}
	}
	// VisitAll only returns errors of the callback, which has none.
	_ = hclsyntax.VisitAll(body, func(node hclsyntax.Node) hcl.Diagnostics {
		if e, ok := node.(*hclsyntax.ScopeTraversalExpr); ok {
			used[reference(e.Traversal)] = true
		}
		return nil
	})
	var text strings.Builder
	if !requires {
		text.WriteString(requirement)
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		kind, label, _ := strings.Cut(name, ".")
		switch {
		case declared[name]:
		case kind == "var":
			fmt.Fprintf(&text, "variable %q {}\n", label)
		case required[kind] != "":
			fmt.Fprintf(&text, "resource %q %q {\n%s}\n", kind, label, required[kind])
		}
	}
	return text.String()
}

// reference returns the first two names of an expression such as var.kubeconfig or liqo_shortcut.rome_milan.status.
func reference(traversal hcl.Traversal) string {
	if len(traversal) < 2 {
		return ""
	}
	attribute, ok := traversal[1].(hcl.TraverseAttr)
	if !ok {
		return ""
	}
	return traversal.RootName() + "." + attribute.Name
}
