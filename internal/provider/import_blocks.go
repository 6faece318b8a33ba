package provider

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// importBlocks returns an import block for each network, whoever owns it. The block of a network with a leaf that can't
// be read is empty, because its import would fail.
func importBlocks(links []shortcut.Link) []string {
	blocks := make([]string, len(links))
	taken := map[string]bool{}
	for i, link := range links {
		if link.Status == shortcut.Unknown {
			continue
		}
		name := resourceName(link.Client.Name+"_"+link.Server.Name, taken)
		// Cluster IDs have no slash, as names of leaves may.
		blocks[i] = fmt.Sprintf("import {\n  to = liqo_shortcut.%s\n  id = \"%s/%s\"\n}\n",
			name, link.Client.ID, link.Server.ID)
	}
	return blocks
}

// ofNobody joins the import blocks of the networks that no liqo_shortcut owns.
func ofNobody(links []shortcut.Link, blocks []string) string {
	var free []string
	for i, link := range links {
		if link.Owner == nil && blocks[i] != "" {
			free = append(free, blocks[i])
		}
	}
	return strings.Join(free, "\n")
}

var notInNames = regexp.MustCompile(`[^\p{L}\p{Nd}_-]+`)

// resourceName returns a name of a Terraform resource that is like a text, and not taken yet. It takes the name.
func resourceName(text string, taken map[string]bool) string {
	name := strings.Trim(notInNames.ReplaceAllString(text, "_"), "_")
	if strings.IndexFunc(name, unicode.IsLetter) != 0 {
		name = "shortcut_" + name
	}
	unique := name
	for i := 2; taken[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	taken[unique] = true
	return unique
}
