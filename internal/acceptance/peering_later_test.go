package acceptance

import "testing"

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
	p.run("destroy", "-auto-approve")
	l.sameNetworks(t, before)
}
