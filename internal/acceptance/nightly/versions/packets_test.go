package versions

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// newest stands for the version of Liqo that the provider is built with.
const newest = ""

// planeOf returns the options of a lab with real packets in which Rome and Milan have these further options. Both have
// the same pod CIDR, so each translates the addresses of the other.
func planeOf(rome, milan string) []string {
	return []string{"--dataplane=real", "--cluster=rome=10.202.0.0/16" + rome, "--cluster=milan=10.202.0.0/16" + milan}
}

func TestAccPacketsCrossBetweenAllVersionsOfLiqoAndKubernetes(t *testing.T) {
	const early, late = ",liqo=" + oldestLiqo, ",liqo=v1.1.2"
	pairs := [][2]string{ // a client, and its server
		{early, newest},
		{early, early}, {early, late}, {late, early}, {late, late}, {late, newest}, {newest, early}, {newest, late},
		{newest, newest},
		{early + ",kubernetes=" + acctest.OldestKubernetes, newest + ",kubernetes=" + acctest.NewestKubernetes},
	}
	for _, lesser := range []string{",liqo=" + defectiveLiqo, ",liqo=v1.0.3", ",liqo=v1.1.0"} {
		pairs = append(pairs, [2]string{lesser, lesser}, [2]string{lesser, newest}, [2]string{newest, lesser})
	}
	if testing.Short() {
		pairs = pairs[:1] // each pair needs a lab of its own, and its programs
	}
	for _, pair := range pairs {
		rome, milan := strings.TrimPrefix(pair[0], ","), strings.TrimPrefix(pair[1], ",")
		between := fmt.Sprintf("%s to %s", cmp.Or(rome, "the newest"), cmp.Or(milan, "the newest"))
		t.Run(between, func(t *testing.T) {
			lab := acctest.BorrowReal(t, planeOf(pair[0], pair[1]))
			p := lab.Join(t, "milan", acctest.OverNodePort)
			p.Works()
			p.Unchanged()
			p.Write("versions.tf", `
				data "liqo_cluster" "leaf" {
				  for_each = toset(["rome", "milan"])
				  name     = each.key
				}`)
			for _, change := range []struct{ name, settings string }{
				{"mtu", acctest.OverNodePort + "\nmtu = 1300"},
				{"key_rotation_trigger", acctest.OverNodePort + "\nmtu = 1300\nkey_rotation_trigger = 2"},
				{"node_port", `server_gateway = { service_type = "NodePort", node_port = 31510 }` + "\nmtu = 1300"},
				{"port", `server_gateway = { service_type = "NodePort", node_port = 31510, port = 51900 }` + "\nmtu = 1300"},
			} {
				p.Configure(change.settings)
				p.Measure(change.name+", "+between, acctest.Briefly, func() {
					acctest.Says(t, p.Run("apply", "-auto-approve"), acctest.InPlace)
				})
				p.Works()
				p.Unchanged()
			}
			for leaf, options := range map[string]string{"rome": rome, "milan": milan} {
				for option := range strings.SplitSeq(options, ",") {
					program, expected, _ := strings.Cut(option, "=")
					shown := fmt.Sprintf("data.liqo_cluster.leaf[%q].%s_version", leaf, program)
					if program != "" && p.Evaluate(shown) != expected {
						t.Errorf("%s is %s", shown, p.Evaluate(shown))
					}
				}
			}
			p.Measure("GatewayClient deleted and created again, "+between, acctest.Briefly, func() {
				lab.DeleteFromTenant(t, "rome", &networkingv1beta1.GatewayClient{})
				acctest.Says(t, p.Run("apply", "-auto-approve"), acctest.InPlace)
				p.Works()
			})
			p.Unchanged()
			p.Run("state", "rm", acctest.RomeMilan)
			p.Run("import", acctest.RomeMilan, "rome/milan")
			p.Unchanged()
			p.Run("destroy", "-auto-approve")
			p.Parted()
		})
	}
}

func TestAccPacketsCrossAgainAfterEachUpdateOfLiqo(t *testing.T) {
	lab := acctest.WithPods(t, acctest.UseUp(t, planeOf(",liqo="+oldestLiqo, newest)))
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
	lab := acctest.WithPods(t, acctest.UseUp(t, planeOf(",liqo="+oldestLiqo, ",liqo=v1.1.2")))
	p := lab.Join(t, "milan", acctest.OverNodePort)
	p.Works()
	for at, network := range map[string]string{"rome": "server_network", "milan": "client_network"} {
		pods := "one(liqo_shortcut.rome_milan." + network + ".remapped_pod_cidrs)"
		former := p.Evaluate(pods)
		ranges := map[string]string{
			acctest.Other[at] + "-pod":      former,
			acctest.Other[at] + "-external": p.Evaluate("liqo_shortcut.rome_milan." + network + ".remapped_external_cidr"),
		}
		var released []<-chan struct{}
		for name := range ranges {
			which := client.MatchingFields{"metadata.name": name}
			released = append(released, lab.Gone(t, at, &ipamv1alpha1.NetworkList{}, which))
		}
		lab.DeleteFromTenant(t, at, &networkingv1beta1.Configuration{})
		for _, network := range released {
			<-network
		}
		for name, cidr := range ranges {
			taken := acctest.Named(&ipamv1alpha1.Network{
				Spec: ipamv1alpha1.NetworkSpec{CIDR: networkingv1beta1.CIDR(cidr)},
			}, metav1.NamespaceDefault, "taken-"+name)
			lab.Have(t, at, taken)
			acctest.Await(t, lab.Lab, at, &ipamv1alpha1.NetworkList{}, taken.Name, func(network *ipamv1alpha1.Network) bool {
				return network.Status.CIDR == network.Spec.CIDR
			})
		}
		acctest.Says(t, p.Run("plan"), "0 to add, 1 to change, 0 to destroy")
		p.Update()
		if p.Evaluate(pods) == former {
			t.Errorf("the range of the other leaf's pods on %s is still %s", at, former)
		}
		p.Works()
		p.Unchanged()
	}
}
