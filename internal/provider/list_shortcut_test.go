package provider

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// links are networks of Rome with Milan and Naples, and one of Naples with a leaf that cannot be read.
func links() []shortcut.Link {
	between := func(client, server string, status shortcut.Status, maker shortcut.Maker) shortcut.Link {
		return shortcut.Link{
			Client: shortcut.Cluster{Name: client, ID: client}, Server: shortcut.Cluster{Name: server, ID: server},
			Status: status, MadeBy: maker,
		}
	}
	return []shortcut.Link{
		between("naples", "turin", shortcut.Unknown, shortcut.ByOther),
		between("rome", "milan", shortcut.Connected, shortcut.ByOther),
		between("rome", "naples", shortcut.Error, shortcut.ByPeering),
	}
}

func TestAListHasTheNetworksThatPassEveryFilter(t *testing.T) {
	rome, milan, naples := types.StringValue("rome"), types.StringValue("milan"), types.StringValue("naples")
	failed := types.StringValue("Error")
	for name, test := range map[string]struct {
		filters  shortcutListModel
		expected []string // the servers
	}{
		"none":                        {shortcutListModel{}, []string{"milan", "naples"}},
		"a client":                    {shortcutListModel{Cluster: rome}, []string{"milan", "naples"}},
		"a server":                    {shortcutListModel{Cluster: naples}, []string{"naples"}},
		"a maker":                     {shortcutListModel{MadeBy: types.StringValue("other")}, []string{"milan"}},
		"a status":                    {shortcutListModel{Status: failed}, []string{"naples"}},
		"filters that exclude":        {shortcutListModel{Cluster: milan, Status: failed}, nil},
		"a cluster that is not there": {shortcutListModel{Cluster: types.StringValue("florence")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var servers []string
			for _, link := range links() {
				if test.filters.selects(link) {
					servers = append(servers, link.Server.Name)
				}
			}
			if !slices.Equal(servers, test.expected) {
				t.Errorf("got %q, expected %q", servers, test.expected)
			}
		})
	}
}

func TestANetworkIsListedWithAnImportBlockWhoeverOwnsIt(t *testing.T) {
	networks := links()
	networks[2].Owners = []shortcut.Ownership{{Token: "another"}}
	var model shortcutsDataModel
	model.show(t.Context(), shortcut.Survey{Links: append(networks, shortcut.Link{Peering: &shortcut.Peering{}})})
	if len(model.Shortcuts) != len(networks) {
		t.Errorf("a peering without a network is listed: %+v", model.Shortcuts)
	}
	const milan = "import {\n  to = liqo_shortcut.rome_milan\n  id = \"rome/milan\"\n}\n"
	for i, expected := range []types.String{
		types.StringNull(), types.StringValue(milan), types.StringValue(strings.ReplaceAll(milan, "milan", "naples")),
	} {
		if block := model.Shortcuts[i].ImportBlock; !block.Equal(expected) {
			t.Errorf("the block of %s is %s, expected %s", networks[i].Server.Name, block, expected)
		}
	}
}

func TestNamesOfLeavesBecomeNamesOfResources(t *testing.T) {
	taken := map[string]bool{}
	for _, test := range [][2]string{
		{"rome_milan", "rome_milan"},
		{"rome_milan", "rome_milan_2"},
		{"arn:aws:eks:eu-central-1:1234:cluster/rome_milan", "arn_aws_eks_eu-central-1_1234_cluster_rome_milan"},
		{"Zürich_東京", "Zürich_東京"},
		{"1_2", "shortcut_1_2"},
		{"🗼_🗼", "shortcut_"},
	} {
		if name := resourceName(test[0], taken); name != test[1] {
			t.Errorf("%s becomes %s, expected %s", test[0], name, test[1])
		}
	}
}

func TestThePageOfTheListResourceHasEveryArgument(t *testing.T) {
	const file = "../../templates/list-resources/shortcut.md"
	page, err := os.ReadFile(file)
	must(t, err)
	var described list.ListResourceSchemaResponse
	newShortcutList().ListResourceConfigSchema(t.Context(), list.ListResourceSchemaRequest{}, &described)
	for name := range described.Schema.Attributes {
		if !strings.Contains(string(page), "- `"+name+"` (") {
			t.Errorf("%s does not have `%s`", file, name)
		}
	}
}
