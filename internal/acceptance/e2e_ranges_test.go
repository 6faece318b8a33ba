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
		part := lab.partWithPod(t, server)
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
		p.run("destroy", "-auto-approve")
	}
}

// partWithPod is the half of a cluster's pod CIDR that has the address of its pod default/a.
func (l *realLab) partWithPod(t *testing.T, cluster string) string {
	t.Helper()
	whole, err := netip.ParsePrefix(l.cluster(t, cluster).PodCIDR)
	if err != nil {
		t.Fatal(err)
	}
	pod, err := netip.ParseAddr(l.pods[cluster])
	if err != nil {
		t.Fatal(err)
	}
	return netip.PrefixFrom(pod, whole.Bits()+1).Masked().String()
}
