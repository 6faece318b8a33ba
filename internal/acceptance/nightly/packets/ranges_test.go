package packets

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccPacketsCrossAfterAChangeOfTheAnnouncedRanges(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	for server, remapping := range map[string]string{"milan": "forbid", "europe": "allow"} {
		settings := fmt.Sprintf("%s\ncidr_remapping = %q\n", acctest.OverNodePort, remapping)
		p := lab.Join(t, server, settings)
		p.Works()
		part, other := halves(t, lab, server)
		for _, ranges := range []struct{ name, announced string }{
			{"a part of its pods", fmt.Sprintf("server_network = { pod_cidrs = [%q] }", part)},
			{"all its pods again", ""},
		} {
			p.Configure(settings + ranges.announced)
			p.During(fmt.Sprintf("%s announces %s, remapping: %s", server, ranges.name, remapping), func() {
				p.Update() // fails if the remapping in the state is not one of the announced ranges
			})
			p.Works()
			if remapped := p.ServerAt != lab.Pods[server]; remapped != (remapping == "allow") {
				t.Errorf("the pod of %s is at %s", server, p.ServerAt)
			}
		}
		replaceRanges(p, settings, other, part)
		p.Works()
		p.Run("destroy", "-auto-approve")
	}
}

// replaceRanges lets the server announce one range of pods, and then another one of the same size. Liqo needs another
// Configuration for the latter.
func replaceRanges(p *acctest.PacketPair, settings, former, latter string) {
	p.T.Helper()
	const announced = "%s\nserver_network = { pod_cidrs = [%q] }"
	p.Write("main.tf", p.Lab.Between(p.Server, fmt.Sprintf(announced, settings, former))) // its pod has no address there
	p.Run("apply", "-auto-approve")
	p.Configure(fmt.Sprintf(announced, settings, latter))
	p.Update()
}

// halves returns the half of a cluster's pod CIDR that has the address of its pod default/a, and the other half.
func halves(t *testing.T, l *acctest.RealLab, cluster string) (with, without string) {
	t.Helper()
	whole, err := netip.ParsePrefix(l.Cluster(t, cluster).PodCIDR)
	if err != nil {
		t.Fatal(err)
	}
	pod, err := netip.ParseAddr(l.Pods[cluster])
	if err != nil {
		t.Fatal(err)
	}
	half := netip.PrefixFrom(pod, whole.Bits()+1).Masked()
	bytes := half.Addr().As4()
	bytes[whole.Bits()/8] ^= 1 << (7 - whole.Bits()%8) // the bit in which the halves differ
	return half.String(), netip.PrefixFrom(netip.AddrFrom4(bytes), half.Bits()).String()
}
