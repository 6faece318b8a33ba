package provider

import (
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// claims are what the instances that this provider process has planned have for themselves: the pair of leaves, and namespaces of one's own. Terraform plans one
// instance twice when it is to be replaced.
type claims struct {
	mu     sync.Mutex
	tokens map[claimed]string // of the instance that has it
}

// claimed is a pair of clusters or, where one of the two is empty, a namespace of a cluster.
type claimed struct{ first, second, namespace string }

// take reports whether an instance may have what it claims.
func (c *claims) take(what claimed, token string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if other, taken := c.tokens[what]; taken {
		return other == token
	}
	if c.tokens == nil {
		c.tokens = map[claimed]string{}
	}
	c.tokens[what] = token
	return true
}

// claim fails if another instance has claimed the pair already, in either direction.
func (c *claims) claim(pair pair, token string) diag.Diagnostics {
	if pair.client == nil || pair.server == nil {
		return nil
	}
	first, second := string(min(pair.client.ID, pair.server.ID)), string(max(pair.client.ID, pair.server.ID))
	if c.take(claimed{first: first, second: second}, token) {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("server"), "The same pair twice", fmt.Sprintf(
		"Another liqo_shortcut of this configuration already joins clusters %q and %q, in this direction or the other. One pair of leaves can have one "+
			"shortcut only.", first, second))}
}

// claimNamespaces fails if another instance has claimed one of the namespaces of one's own that a configuration names.
func (c *claims) claimNamespaces(pair pair, config *shortcutModel, token string) diag.Diagnostics {
	var diags diag.Diagnostics
	for _, end := range []struct {
		attribute string
		leaf      *cluster.Leaf
		namespace types.String
	}{
		{"client_namespace", pair.client, config.ClientNamespace},
		{"server_namespace", pair.server, config.ServerNamespace},
	} {
		if end.leaf == nil || !given(end.namespace) || c.take(claimed{first: string(end.leaf.ID), namespace: end.namespace.ValueString()}, token) {
			continue
		}
		diags.AddAttributeError(path.Root(end.attribute), "The same namespace twice", fmt.Sprintf(
			"Another liqo_shortcut of this configuration already has namespace %q of leaf %q. Liqo can't tell two gateways of one namespace apart. Give each "+
				"shortcut a namespace of its own, or leave the choice to Liqo.", end.namespace.ValueString(), end.leaf.Name))
	}
	return diags
}
