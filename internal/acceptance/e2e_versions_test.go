package acceptance

import (
	"fmt"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
)

// releases are the versions of Liqo whose gateways are joined with each other: the last patch of each minor
// version, and the oldest one. An empty version is the one that the provider is built with.
var releases = []string{oldestLiqo, "v1.1.2", ""}

func TestAccPacketsCrossBetweenAllVersionsOfLiqo(t *testing.T) {
	onClusters(t)
	for _, client := range releases {
		for _, server := range releases {
			if testing.Short() && (client != oldestLiqo || server != "") {
				continue // each pair needs a lab of its own
			}
			t.Run(fmt.Sprintf("%s to %s", nameOf(client), nameOf(server)), func(t *testing.T) {
				packetsCrossBetween(t, client, server)
			})
		}
	}
}

// nameOf returns a version of Liqo in the name of a test.
func nameOf(liqo string) string {
	if liqo == "" {
		return "the newest"
	}
	return liqo
}

// planeOf returns the options of a lab with real packets in which Rome and Milan run these versions of Liqo. Both have
// the same pod CIDR, so each translates the addresses of the other.
func planeOf(rome, milan string) []string {
	options := []string{"--dataplane=real"}
	for _, c := range [][2]string{{"rome", rome}, {"milan", milan}} {
		option := "--cluster=" + c[0] + "=10.202.0.0/16"
		if liqo := c[1]; liqo != "" {
			option += ",liqo=" + liqo
		}
		options = append(options, option)
	}
	return options
}

// packetsCrossBetween takes a shortcut between two versions of Liqo through its life.
func packetsCrossBetween(t *testing.T, client, server string) {
	t.Helper()
	lab := borrowRealLabOf(t, planeOf(client, server))
	p := lab.join(t, "milan", overNodePort)
	p.works()
	p.run("plan", "-detailed-exitcode")
	between := fmt.Sprintf(", %s to %s", nameOf(client), nameOf(server))
	for _, change := range []struct{ name, settings string }{
		{"mtu", overNodePort + "\nmtu = 1300"},
		{"node_port", `server_gateway = { service_type = "NodePort", node_port = 31510 }` + "\nmtu = 1300"},
		{"port", `server_gateway = { service_type = "NodePort", node_port = 31510, port = 51900 }` + "\nmtu = 1300"},
	} {
		p.configure(change.settings)
		p.measure(change.name+between, briefly, func() {
			says(t, p.run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
		})
		p.works()
		p.run("plan", "-detailed-exitcode")
	}
	lab.deleteFromTenant(t, "rome", &networkingv1beta1.GatewayClient{})
	p.measure("GatewayClient created again"+between, briefly, func() {
		says(t, p.run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
	})
	p.works()
	p.run("plan", "-detailed-exitcode")
	p.run("state", "rm", romeMilan)
	p.run("import", romeMilan, "rome/milan")
	p.run("plan", "-detailed-exitcode")
	p.run("destroy", "-auto-approve")
	p.parted()
}

func TestAccPacketsCrossAgainAfterEachUpdateOfLiqo(t *testing.T) {
	lab := withPods(t, useUpLab(t, planeOf(oldestLiqo, "")))
	p := lab.join(t, "milan", overNodePort)
	p.works()
	for _, version := range []string{"v1.1.2", lab.cluster(t, "milan").LiqoVersion, "v1.1.2"} {
		p.measure("Rome's Liqo becomes "+version, briefly, func() {
			lab.command(t, "set", "rome", "liqo="+version)
			p.comesBack()
		})
		if output := p.run("plan"); strings.Contains(output, "replaced") {
			t.Errorf("with Liqo %s, the plan replaces the shortcut:\n%s", version, output)
		}
		p.update()
		p.works()
		p.run("plan", "-detailed-exitcode") // nothing is left to change
	}
	p.run("destroy", "-auto-approve")
	p.parted()
}
