package acceptance

import (
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
)

// aPeeringBeginsAndEndsOverAShortcut lets Rome consume resources of Milan over a shortcut that exists already.
func (l *Lab) aPeeringBeginsAndEndsOverAShortcut(t *testing.T) {
	before := l.networks(t)
	p := l.newProject(t, t.TempDir())
	destroyAtLast(p)
	p.configure(joining("earlier", "rome", "milan", ""))
	p.apply()
	networks := l.networks(t)
	l.command(t, "peer", "rome", "milan")
	l.sameNetworks(t, networks)
	p.unchanged()
	says(t, p.refused("destroy", "-auto-approve"), refused("milan", "Provider"), refused("rome", "Consumer"))
	l.sameNetworks(t, networks)

	l.liqoctlBetween(t, "rome", "milan", "unpeer") // removes the network, too
	says(t, p.run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
	p.unchanged()
	for leaf, other := range map[string]string{"rome": "milan", "milan": "rome"} {
		// Liqo records some time later that the peering has ended.
		await(t, l, leaf, &liqov1beta1.ForeignClusterList{}, other, func(record *liqov1beta1.ForeignCluster) bool {
			return !record.Status.Modules.Authentication.Enabled && !record.Status.Modules.Offloading.Enabled
		})
	}
	p.run("destroy", "-auto-approve")
	l.sameNetworks(t, before)
}
