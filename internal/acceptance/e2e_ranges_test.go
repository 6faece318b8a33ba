package acceptance

import (
	"fmt"
	"net/netip"
	"testing"
)

func TestAccPacketsCrossAfterAChangeOfTheAnnouncedRanges(t *testing.T) {
	lab := borrowRealLab(t)
	for server, remapping := range map[string]string{"milan": "forbid", "europe": "allow"} {
		settings := fmt.Sprintf("%s\ncidr_remapping = %q\n", overNodePort, remapping)
		p := lab.join(t, server, settings)
		p.works()
		part, other := lab.halves(t, server)
		for _, ranges := range []struct{ name, announced string }{
			{"a part of its pods", fmt.Sprintf("server_network = { pod_cidrs = [%q] }", part)},
			{"all its pods again", ""},
		} {
			p.configure(settings + ranges.announced)
			p.during(fmt.Sprintf("%s announces %s, remapping: %s", server, ranges.name, remapping), func() {
				p.update() // fails if the remapping in the state is not one of the announced ranges
			})
			p.works()
			if remapped := p.serverAt != lab.pods[server]; remapped != (remapping == "allow") {
				t.Errorf("the pod of %s is at %s", server, p.serverAt)
			}
		}
		p.replaceRanges(settings, other, part)
		p.works()
		p.run("destroy", "-auto-approve")
	}
}

// replaceRanges lets the server announce one range of pods, and then another one of the same size. Liqo needs another
// Configuration for the latter.
func (p *packetPair) replaceRanges(settings, former, latter string) {
	p.t.Helper()
	const announced = "%s\nserver_network = { pod_cidrs = [%q] }"
	p.write("main.tf", p.lab.between(p.server, fmt.Sprintf(announced, settings, former))) // its pod has no address there
	p.run("apply", "-auto-approve")
	p.configure(fmt.Sprintf(announced, settings, latter))
	p.update()
}

// halves returns the half of a cluster's pod CIDR that has the address of its pod default/a, and the other half.
func (l *realLab) halves(t *testing.T, cluster string) (with, without string) {
	t.Helper()
	whole, err := netip.ParsePrefix(l.cluster(t, cluster).PodCIDR)
	if err != nil {
		t.Fatal(err)
	}
	pod, err := netip.ParseAddr(l.pods[cluster])
	if err != nil {
		t.Fatal(err)
	}
	half := netip.PrefixFrom(pod, whole.Bits()+1).Masked()
	bytes := half.Addr().As4()
	bytes[whole.Bits()/8] ^= 1 << (7 - whole.Bits()%8) // the bit in which the halves differ
	return half.String(), netip.PrefixFrom(netip.AddrFrom4(bytes), half.Bits()).String()
}
