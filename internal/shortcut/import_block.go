package shortcut

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// ImportBlock returns an import block in HCL for a resource with this name. The import ID has the IDs of the two
// clusters, because they have no slash, as names of leaves may have.
func ImportBlock(resource owner.Resource, name, first, second string) string {
	return fmt.Sprintf("import {\n  to = %s.%s\n  id = \"%s/%s\"\n}\n", resource, name, first, second)
}

var notInNames = regexp.MustCompile(`[^\p{L}\p{Nd}_-]+`)

// ResourceName returns a name of a Terraform resource that is like a text.
func ResourceName(text string) string {
	name := strings.Trim(notInNames.ReplaceAllString(text, "_"), "_")
	if strings.IndexFunc(name, unicode.IsLetter) != 0 {
		name = "shortcut_" + name
	}
	return name
}

// importAdvice says how the resource gets a network that is there already. It completes "To manage it here, …". A
// resource that has a state already must be forgotten first.
func (s *Shortcut) importAdvice(n network, create bool) string {
	client, server, how := s.Client, s.Server, importIt(create)
	if n.reversed() {
		client, server = server, client
		how = fmt.Sprintf("swap `client` and `server` of this resource, because %q dials %q, and %s",
			client.Leaf.Name, server.Leaf.Name, how)
	}
	return how + ImportBlock("", ResourceName(client.Leaf.Name+"_"+server.Leaf.Name),
		string(client.Leaf.ID), string(server.Leaf.ID))
}

// importAdvice does so for an object at one end. It is empty if there is none of this type.
func (o EndObject) importAdvice(found bool) string {
	if !found {
		return ""
	}
	remote := string(o.End.Remote.ID)
	return importIt(o.Create) + ImportBlock(o.End.Owner.Resource, ResourceName(remote), string(o.End.Leaf.ID), remote)
}

// importIt introduces the import block.
func importIt(create bool) string {
	const how = "import it, with the address of this resource after `to`:\n\n"
	if create {
		return how
	}
	return "forget this resource with `terraform state rm`, then " + how
}
