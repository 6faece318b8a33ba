package provider

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// importBlock returns an import block for a network, whoever owns it. It takes the name of the resource. It is empty
// for a network with a leaf that can't be read, because its import would fail.
func importBlock(link shortcut.Link, taken map[string]bool) string {
	if link.Status == shortcut.Unknown {
		return ""
	}
	// Cluster IDs have no slash, as names of leaves may.
	return fmt.Sprintf("import {\n  to = liqo_shortcut.%s\n  id = \"%s/%s\"\n}\n",
		resourceName(link.Client.Name+"_"+link.Server.Name, taken), link.Client.ID, link.Server.ID)
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
