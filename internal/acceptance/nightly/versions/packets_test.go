package versions

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// newest stands for the version of Liqo that the provider is built with.
const newest = ""

// releases are the versions of Liqo whose gateways are joined with each other: an early and a late one before the
// newest. The gateways of lesser releases are joined with their own kind and, both ways, with the newest.
var (
	releases       = []string{oldestLiqo, "v1.1.2", newest}
	lesserReleases = []string{defectiveLiqo, "v1.0.3", "v1.1.0"}
)

// versionPairs returns the pairs of versions to join, a client and its server each. The first one joins the oldest
// version with the newest.
func versionPairs() [][2]string {
	pairs := [][2]string{{oldestLiqo, newest}}
	for _, client := range releases {
		for _, server := range releases {
			if pair := [2]string{client, server}; pair != pairs[0] {
				pairs = append(pairs, pair)
			}
		}
	}
	for _, lesser := range lesserReleases {
		pairs = append(pairs, [2]string{lesser, lesser}, [2]string{lesser, newest}, [2]string{newest, lesser})
	}
	return pairs
}

func TestAccPacketsCrossBetweenAllVersionsOfLiqo(t *testing.T) {
	pairs := versionPairs()
	if testing.Short() {
		pairs = pairs[:1] // each pair needs a lab of its own, and its programs
	}
	for _, versions := range pairs {
		client, server := versions[0], versions[1]
		between := fmt.Sprintf("%s to %s", nameOf(client), nameOf(server))
		t.Run(between, func(t *testing.T) {
			packetsCross(t, acctest.BorrowReal(t, planeOf(client, server)), between)
		})
	}
}

func TestAccPacketsCrossBetweenTheOldestAndTheNewestKubernetes(t *testing.T) {
	if testing.Short() {
		t.Skip("It builds two more versions of Kubernetes.")
	}
	lab := acctest.BorrowReal(t, []string{
		"--dataplane=real", "--cluster=rome=10.202.0.0/16,kubernetes=" + acctest.OldestKubernetes + ",liqo=" + oldestLiqo,
		"--cluster=milan=10.202.0.0/16,kubernetes=" + acctest.NewestKubernetes,
	})
	acctest.Apply(t, resource.TestStep{
		Config: lab.Contexts(`
			data "liqo_cluster" "rome" { name = "rome" }
			data "liqo_cluster" "milan" { name = "milan" }`),
		ConfigStateChecks: []statecheck.StateCheck{
			acctest.Shows("liqo_cluster.rome", acctest.Exactly(acctest.OldestKubernetes), "kubernetes_version"),
			acctest.Shows("liqo_cluster.milan", acctest.Exactly(acctest.NewestKubernetes), "kubernetes_version"),
		},
	})
	packetsCross(t, lab, "Kubernetes "+acctest.OldestKubernetes+" to "+acctest.NewestKubernetes)
}

// nameOf returns a version of Liqo in the name of a test.
func nameOf(liqo string) string {
	if liqo == newest {
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
		if liqo := c[1]; liqo != newest {
			option += ",liqo=" + liqo
		}
		options = append(options, option)
	}
	return options
}

// packetsCross takes a shortcut from Rome to Milan through its life.
func packetsCross(t *testing.T, l *acctest.RealLab, between string) {
	t.Helper()
	between = ", " + between
	p := l.Join(t, "milan", acctest.OverNodePort)
	p.Works()
	p.Run("plan", "-detailed-exitcode")
	for _, change := range []struct{ name, settings string }{
		{"mtu", acctest.OverNodePort + "\nmtu = 1300"},
		{"key_rotation", acctest.OverNodePort + "\nmtu = 1300\nkey_rotation = 2"},
		{"node_port", `server_gateway = { service_type = "NodePort", node_port = 31510 }` + "\nmtu = 1300"},
		{"port", `server_gateway = { service_type = "NodePort", node_port = 31510, port = 51900 }` + "\nmtu = 1300"},
	} {
		p.Configure(change.settings)
		p.Measure(change.name+between, acctest.Briefly, func() {
			acctest.Says(t, p.Run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
		})
		p.Works()
		p.Run("plan", "-detailed-exitcode")
	}
	p.Measure("GatewayClient deleted and created again"+between, acctest.Briefly, func() {
		l.DeleteFromTenant(t, "rome", &networkingv1beta1.GatewayClient{})
		acctest.Says(t, p.Run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
		p.Works()
	})
	p.Run("plan", "-detailed-exitcode")
	p.Run("state", "rm", acctest.RomeMilan)
	p.Run("import", acctest.RomeMilan, "rome/milan")
	p.Run("plan", "-detailed-exitcode")
	p.Run("destroy", "-auto-approve")
	p.Parted()
}

func TestAccPacketsCrossAgainAfterEachUpdateOfLiqo(t *testing.T) {
	lab := acctest.WithPods(t, acctest.UseUp(t, planeOf(oldestLiqo, newest)))
	p := lab.Join(t, "milan", acctest.OverNodePort)
	p.Works()
	milan := lab.Cluster(t, "milan")
	latest := cmp.Or(milan.LiqoFolder, milan.LiqoVersion)
	updates := []string{"v1.1.2", latest, "v1.1.2"}
	if testing.Short() {
		updates = []string{latest} // one version less to build
	}
	for _, version := range updates {
		p.Measure("Rome's Liqo becomes "+version, acctest.Briefly, func() {
			renewed := lab.NextGateway(t, "rome")
			lab.Command(t, "set", "rome", "liqo="+version)
			renewed()
			p.ComesBack()
		})
		// A plan needs no change. It may warn that the new gateway has not reported yet.
		if plan := p.Run("plan", "-detailed-exitcode"); strings.Contains(plan, "Liqo's controllers") {
			t.Errorf("with Liqo %s, the plan blames Liqo's controllers:\n%s", version, plan)
		}
		p.Update() // Liqo may have remapped the ranges again
		p.Works()
	}
	p.Run("destroy", "-auto-approve")
	p.Parted()
}

// Rome remaps Milan's pods, whose range is that of Rome's Services, and Milan does not remap Rome's. Liqo 1.0.0
// translates the source of Milan's packets only if it is in the range of Rome's own pods.
func TestAccPacketsWithoutAnAnswerAreThoseToLiqoWithADefect(t *testing.T) {
	if testing.Short() {
		t.Skip("It builds one more version of Liqo.")
	}
	lab := acctest.WithPods(t, acctest.UseUp(t, []string{
		"--dataplane=real", "--cluster=rome=10.202.0.0/16,service=10.203.0.0/16,liqo=" + defectiveLiqo,
		"--cluster=milan=10.203.0.0/16",
	}))
	p := lab.Join(t, "milan", acctest.OverNodePort)
	lab.Reaches(t, "rome", p.ServerAt)
	lab.Answers(t, "rome", p.ServerAt, "milan", lab.Pods["rome"])
	lab.ReachesNot(t, "milan", p.RomeAt)
	p.Configure(acctest.OverNodePort + "\nmtu = 1300")
	acctest.Says(t, p.Run("plan"), "Liqo "+defectiveLiqo+` on leaf "rome" has a defect`)
	lab.Command(t, "set", "rome", "liqo="+oldestLiqo)
	p.Update()
	p.Works()
}

// A Configuration that is created again gets other ranges if something else has taken the former ones meanwhile.
func TestAccPacketsCrossAfterARepairWithOtherRangesOnOlderLiqo(t *testing.T) {
	if testing.Short() {
		t.Skip("It needs a lab of its own.")
	}
	lab := acctest.WithPods(t, acctest.UseUp(t, planeOf(oldestLiqo, "v1.1.2")))
	p := lab.Join(t, "milan", acctest.OverNodePort)
	p.Works()
	for at, network := range map[string]string{"rome": "server_network", "milan": "client_network"} {
		const remapped = "one(liqo_shortcut.rome_milan.%s.remapped_pod_cidrs)"
		former := p.Evaluate(fmt.Sprintf(remapped, network))
		loseRanges(t, lab, at, former, p.Evaluate("liqo_shortcut.rome_milan."+network+".remapped_external_cidr"))
		acctest.Says(t, p.Run("plan"), "0 to add, 1 to change, 0 to destroy")
		p.Update()
		if p.Evaluate(fmt.Sprintf(remapped, network)) == former {
			t.Errorf("the range of the other leaf's pods on %s is still %s", at, former)
		}
		p.Works()
		p.Run("plan", "-detailed-exitcode")
	}
}

// loseRanges deletes the Configuration of a cluster, and takes the two remapped ranges of the other leaf.
func loseRanges(t *testing.T, l *acctest.RealLab, cluster, podCIDR, externalCIDR string) {
	t.Helper()
	other := map[string]string{"rome": "milan", "milan": "rome"}[cluster]
	ranges := map[string]string{other + "-pod": podCIDR, other + "-external": externalCIDR}
	var released []<-chan struct{}
	for name := range ranges {
		which := client.MatchingFields{"metadata.name": name}
		released = append(released, l.Gone(t, cluster, &ipamv1alpha1.NetworkList{}, which))
	}
	l.DeleteFromTenant(t, cluster, &networkingv1beta1.Configuration{})
	for _, network := range released {
		<-network
	}
	for name, cidr := range ranges {
		taken := networkingv1beta1.CIDR(cidr)
		l.Have(t, cluster, &ipamv1alpha1.Network{
			ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "taken-" + name},
			Spec:       ipamv1alpha1.NetworkSpec{CIDR: taken},
		})
		acctest.Await(
			t,
			l.Lab,
			cluster,
			&ipamv1alpha1.NetworkList{},
			"taken-"+name,
			func(network *ipamv1alpha1.Network) bool {
				return network.Status.CIDR == taken
			},
		)
	}
}
