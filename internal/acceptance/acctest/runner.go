package acctest

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// OverTokens is a provider block whose leaves are known by their addresses and tokens.
const OverTokens = `
	variable "leaves" {
	  type = map(object({
	    host                   = string
	    cluster_ca_certificate = string
	    token                  = string
	  }))
	  sensitive = true
	}
	provider "liqo" {
	  clusters = var.leaves
	}
	`

// Runner is a machine that runs Terraform. It has its own state, and its own way to each leaf.
type Runner struct {
	*Project

	Name string
	Ways map[string]*clustertest.Proxy // keyed by the leaf
}

// NewRunner returns a runner with this configuration and these leaves.
func (l *RealLab) NewRunner(t *testing.T, name, config string, leaves map[string]Leaf) *Runner {
	t.Helper()
	r := &Runner{Name: name, Ways: map[string]*clustertest.Proxy{}}
	own := map[string]Leaf{}
	for name, direct := range leaves {
		r.Ways[name], own[name] = ProxyFor(t, direct)
	}
	r.Project = l.NewProject(t, t.TempDir()).Attach()
	DestroyAtLast(r.Project)
	r.SetJSON("TF_VAR_leaves", own)
	r.rename(name)
	r.Configure(OverTokens + config)
	return r
}
