package acceptance

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// `terraform query` needs Terraform 1.14, and the tests also run on older ones. So this test uses the protocol of the
// provider directly.
func TestAccANetworkMadeByLiqoctlIsListedAndThenGenerated(t *testing.T) {
	lab := borrowLab(t)
	p := lab.shownBy(t, `
		data "liqo_shortcuts" "all" {}
		output "import_blocks" {
		  value = data.liqo_shortcuts.all.import_blocks
		}`)
	destroyAtLast(p)
	lab.joinByHand(t, "rome", "milan")()

	liqo := lab.startProvider(t)
	listed := liqo.list(map[string]string{"leaf": "milan", "made_by": "other", "status": "Connected"})
	if len(listed) != 1 || listed[0].DisplayName != "rome → milan" {
		t.Fatalf("%d networks are listed: %v", len(listed), listed)
	}
	imported := liqo.importByIdentity(map[string]string{"client_cluster_id": "rome", "server_cluster_id": "milan"})
	expected, found := liqo.attributes(liqo.read(imported).NewState), liqo.attributes(listed[0].Resource)
	delete(expected, "owner_id") // an import makes a new one
	delete(found, "owner_id")
	for name, value := range expected {
		if !found[name].Equal(value) {
			t.Errorf("%s is listed as %v, and imported as %v", name, found[name], value)
		}
	}
	if none := liqo.list(map[string]string{"made_by": "peering"}); len(none) > 0 {
		t.Errorf("networks of peerings are listed: %v", none)
	}

	p.run("apply", "-auto-approve")
	p.write("import.tf", p.run("output", "-raw", "import_blocks"))
	p.run("plan", "-generate-config-out=generated.tf")
	says(t, p.run("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
	says(t, p.run("state", "show", romeMilan), `status = "Connected"`)
	p.run("plan", "-detailed-exitcode")
}

// list returns the networks of the list resource with these filters, and their whole resources.
func (d *direct) list(filters map[string]string) []tfprotov6.ListResourceResult {
	d.t.Helper()
	server, ok := d.server.(tfprotov6.ListResourceServer)
	if !ok {
		d.t.Fatal("the provider lists nothing")
	}
	schemas, err := d.server.GetProviderSchema(d.t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	d.must(err, schemas.Diagnostics)
	values := map[string]tftypes.Value{}
	for name, text := range filters {
		values[name] = tftypes.NewValue(tftypes.String, text)
	}
	config := d.dynamic(object(d.t, schemas.ListResourceSchemas["liqo_shortcut"].ValueType()), values)
	validated, err := server.ValidateListResourceConfig(d.t.Context(), &tfprotov6.ValidateListResourceConfigRequest{
		TypeName: "liqo_shortcut", Config: config,
	})
	d.must(err, validated.Diagnostics)
	stream, err := server.ListResource(d.t.Context(), &tfprotov6.ListResourceRequest{
		TypeName: "liqo_shortcut", Config: config, IncludeResource: true, Limit: 100,
	})
	d.must(err, nil)
	var results []tfprotov6.ListResourceResult
	for result := range stream.Results {
		d.must(nil, result.Diagnostics)
		results = append(results, result)
	}
	return results
}

// attributes returns the attributes of a liqo_shortcut by their names.
func (d *direct) attributes(wire *tfprotov6.DynamicValue) map[string]tftypes.Value {
	d.t.Helper()
	attributes := map[string]tftypes.Value{}
	if err := d.value(wire).As(&attributes); err != nil {
		d.t.Fatal(err)
	}
	return attributes
}
