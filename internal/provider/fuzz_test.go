package provider

import (
	"maps"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// FuzzImportID imports any ID. No leaf has such a name, so each is an error with the ID or its parts.
func FuzzImportID(f *testing.F) {
	for _, id := range []string{
		"", "/", "//", "a", "a/", "/b", "a/b", "a/b/c", "arn:aws:eks:x:1:cluster/a/arn:aws:eks:x:1:cluster/b", "\x00/\xff",
		" a / b ",
	} {
		f.Add(id)
	}
	registry := cluster.NewRegistry(cluster.Config{Kubeconfig: access.Kubeconfig{Content: "{}"}})
	f.Cleanup(registry.Close)
	f.Fuzz(func(t *testing.T, id string) {
		_, diags := (&leaves{registry: registry}).importedByID(t.Context(), id)
		if !diags.HasError() {
			t.Fatalf("%q was imported", id)
		}
		client, server, isPair := strings.Cut(id, "/")
		for _, one := range diags.Errors() {
			quoted := strings.Contains(one.Detail(), strconv.Quote(id))
			if isPair {
				quoted = quoted || strings.Contains(one.Detail(), strconv.Quote(client)) ||
					strings.Contains(one.Detail(), strconv.Quote(server))
			}
			if !quoted {
				t.Errorf("%q is not named: %s", id, one.Detail())
			}
		}
	})
}

// FuzzCIDRs gives any text to the functions for ranges. A result is an address of the new range.
func FuzzCIDRs(f *testing.F) {
	f.Add("10.1.2.3", "10.1.0.0/16", "10.9.0.0/16")
	f.Add("fd00::1", "fd00::/64", "fd01::/64")
	f.Add("::ffff:10.1.2.3", "10.0.0.0/8", "11.0.0.0/8")
	f.Add("10.1.2.3", "0.0.0.0/0", "1.2.3.4/0")
	f.Add("10.1.2.3", "10.1.2.3/32", "10.9.9.9/32")
	f.Add("fe80::1%eth0", "fe80::/10", "fe80::/10")
	f.Add("", "/", "10.0.0.0/33")
	f.Fuzz(func(t *testing.T, ip, from, to string) {
		arguments := []string{ip, from, to}
		remapped, err := callTexts(t, newRemapIPFunction(), arguments...)
		switch {
		case err != nil && (err.FunctionArgument == nil || *err.FunctionArgument > 2):
			t.Errorf("%q: an error of no argument: %v", arguments, err)
		case err == nil:
			text, ok := remapped.(types.String)
			address, invalid := netip.ParseAddr(text.ValueString())
			if !ok || invalid != nil || !netip.MustParsePrefix(to).Contains(address) {
				t.Errorf("%q became %s", arguments, remapped)
			}
		}
		one, err := callTexts(t, newCIDRsOverlapFunction(), from, to)
		other, reverse := callTexts(t, newCIDRsOverlapFunction(), to, from)
		if (err == nil) != (reverse == nil) || err == nil && !one.Equal(other) {
			t.Errorf("%q: %s (%v), and in the other order %s (%v)", arguments, one, err, other, reverse)
		}
	})
}

// FuzzNames makes a mesh of any three names. Each of its keys is for one pair, in whatever order the names are.
func FuzzNames(f *testing.F) {
	f.Add("rome", "milan", "naples")
	f.Add("a", "a-b", "b-c")
	f.Add("", "-", "--")
	f.Add("a", "a", "b")
	f.Add("\xff", "\x00", "é")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		pairs, err := mesh([]string{a, b, c})
		if err == nil && len(pairs) != 3 {
			t.Errorf("%q, %q, %q: %v", a, b, c, pairs)
		}
		reversed, reverse := mesh([]string{c, b, a})
		if (err == nil) != (reverse == nil) || !maps.Equal(pairs, reversed) {
			t.Errorf("%q, %q, %q: %v (%v), and in the other order %v (%v)", a, b, c, pairs, err, reversed, reverse)
		}
	})
}

// FuzzValidators gives any text to all validators of strings. What they reject is in the error, except a secret.
func FuzzValidators(f *testing.F) {
	for _, text := range []string{
		"", " ", "10.0.0.0/8", "10.0.0.1/8", "fd00::/8", "a.b/c", "a/b/c", "\x00", "é", "-a", "1.2.3.4:5",
		strings.Repeat("a", 300),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, one := range map[string]validator.String{
			"address": hostAddress(), "cidr": cidr(), "whole range": wholeRange(), "key": metadataKey(), "label": labelValue(),
			"not empty": notEmpty(),
		} {
			response := validator.StringResponse{Diagnostics: diag.Diagnostics{}}
			one.ValidateString(t.Context(), validator.StringRequest{
				Path: path.Root("attribute"), ConfigValue: types.StringValue(text),
			}, &response)
			for _, found := range response.Diagnostics.Errors() {
				if name != "not empty" && !strings.Contains(found.Detail(), strconv.Quote(text)) {
					t.Errorf("%s: %q is not in: %s", name, text, found.Detail())
				}
			}
		}
	})
}

// FuzzImportBlocks gives any names to the leaves. What users copy is one import block for each network, and nothing
// else.
func FuzzImportBlocks(f *testing.F) {
	for _, name := range []string{
		"rome", "arn:aws:eks:x:1:cluster/a", "x\"\n}\nresource \"terraform_data\" \"y\" {", "${file(\"/etc/passwd\")}", "½",
		"1", "", "-", "röm", "a\u202eb", "\xff", "import", "ⅷ", "a\u0301",
	} {
		f.Add(name, "milan", "rome")
	}
	f.Fuzz(func(t *testing.T, client, server, id string) {
		if len(validation.IsDNS1123Label(id)) > 0 {
			return // no leaf has such an ID
		}
		link := shortcut.Link{Status: shortcut.Connected}
		link.Client.Name, link.Client.ID, link.Server.Name, link.Server.ID = client, id, server, id
		taken := map[string]bool{}
		text := importBlock(link, taken) + "\n" + importBlock(link, taken)
		file, diags := hclsyntax.ParseConfig([]byte(text), "import.tf", hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatalf("%v in:\n%s", diags, text)
		}
		body, ok := file.Body.(*hclsyntax.Body)
		if !ok || len(body.Blocks) != 2 || len(body.Attributes) > 0 {
			t.Fatalf("it has more than two blocks:\n%s", text)
		}
		addresses := map[string]bool{}
		for _, block := range body.Blocks {
			to, diags := hcl.AbsTraversalForExpr(block.Body.Attributes["to"].Expr)
			value, idDiags := block.Body.Attributes["id"].Expr.Value(nil)
			if block.Type != "import" || len(block.Body.Attributes) != 2 || len(block.Body.Blocks) > 0 || diags.HasErrors() ||
				len(to) != 2 || to.RootName() != "liqo_shortcut" || idDiags.HasErrors() || value.AsString() != id+"/"+id {
				t.Errorf("it is not an import block:\n%s", text)
			}
			addresses[string(block.Body.Attributes["to"].Expr.Range().SliceBytes([]byte(text)))] = true
		}
		if len(addresses) != 2 {
			t.Errorf("both have one address:\n%s", text)
		}
	})
}
