package provider

import (
	"fmt"

	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// importBlock returns an import block for a network, whoever owns it. It takes the name of the resource. It is empty
// for a network with a leaf that can't be read, because its import would fail.
func importBlock(link shortcut.Link, taken map[string]bool) string {
	if link.Status == shortcut.Unknown {
		return ""
	}
	return shortcut.ImportBlock("", resourceName(link.Client.Name+"_"+link.Server.Name, taken),
		link.Client.ID, link.Server.ID)
}

// resourceName returns a name of a Terraform resource that is like a text, and not taken yet. It takes the name.
func resourceName(text string, taken map[string]bool) string {
	name := shortcut.ResourceName(text)
	unique := name
	for i := 2; taken[unique]; i++ {
		unique = fmt.Sprintf("%s_%d", name, i)
	}
	taken[unique] = true
	return unique
}
