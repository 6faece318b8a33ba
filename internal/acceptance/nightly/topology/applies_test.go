package topology

import (
	"fmt"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m, acctest.WithTenantNamespaces) }

// Three shortcuts at a time wait for something, each at another server.
func TestAccFailureToConnectIsExplainedByWhatTheLeavesShow(t *testing.T) {
	type failure struct {
		broken      string // a setting of the server
		serviceType string
		headline    string
		text        []string
	}
	lab := acctest.Borrow(t, acctest.Topology)
	for name, failures := range map[string]map[string]failure{
		"before the gateway's pod runs": {
			"milan": {
				"load-balancer=false", "LoadBalancer",
				`The load balancer gives no address on leaf "milan"`, []string{
					// before the pod is ready, also for its keys
					`Time ran out while waiting for …the gateway's Service to get an address on "milan".`,
					`Service liqo-tenant-rome/gw-rome is of type LoadBalancer and has no address. No event of the ` +
						`Service says why.`,
					"Check that leaf \"milan\" has a load balancer and that it works. If it has none, set `service_type = " +
						"\"NodePort\"` in `server_gateway`.",
					`How far it got:`, `…not done milan: address of the gateway (…s)`,
					`…not begun rome: GatewayClient, and … more`, acctest.HelpAt("load-balancer-without-address"),
				},
			},
			"europe": {
				"schedulable=false", "LoadBalancer",
				`The gateway's pod can't be scheduled on leaf "europe"`, []string{
					`Time ran out while waiting for … on "europe".`,
					`The scheduler reports for Pod liqo-tenant-rome/gw-rome-…: 0/1 nodes are available: ` +
						`1 node(s) were unschedulable. preemption: 0/1 nodes are available: ` +
						`1 Preemption is not helpful for scheduling.`,
					"Add a node that can take it to the leaf, or correct `pods` or the gateway's template and apply again.",
					`Liqo does not change the Deployment of a gateway that has no running pod. So while that apply waits, run:`,
					`kubectl -n liqo-tenant-rome delete deployment gw-rome`,
					`How far it got:`, acctest.HelpAt("gateway-not-scheduled"),
				},
			},
			"naples": {
				"pull-image=false", "LoadBalancer",
				`The gateway's image can't be pulled on leaf "naples"`, []string{
					`Time ran out while waiting for … on "naples".`,
					`The kubelet can't pull image ghcr.io/liqotech/… of Pod liqo-tenant-rome/gw-rome-…, container …: ` +
						`Back-off pulling image "…": ErrImagePull: …: not found.`,
					`Check that the nodes of leaf "naples" can reach this registry and may pull this image.`,
					`How far it got:`, acctest.HelpAt("gateway-image-not-pulled"),
				},
			},
		},
		"without Liqo, packets or a pod that gets ready": {
			"europe": {
				"liqo=stopped", "NodePort",
				`Liqo's controllers do not run on leaf "europe"`, []string{
					`Time ran out while waiting for Liqo to create the gateway's keys, for Liqo to remap the other leaf's ` +
						`address ranges and for the gateway's Service to get an address on "europe".`,
					`Liqo has not reacted to Configuration liqo-tenant-rome/rome and GatewayServer ` +
						`liqo-tenant-rome/rome yet.`,
					`Deployment liqo/liqo-controller-manager, which runs Liqo's controllers, is scaled to 0 replicas.`,
					`Start Liqo's controllers on leaf "europe" again. To see why they do not run:`,
					`kubectl -n liqo describe deployment -l app.kubernetes.io/name=controller-manager`,
					`How far it got:`, `…done europe: GatewayServer`, `…not done europe: key of the gateway`,
					acctest.HelpAt("controllers-down"),
				},
			},
			"milan": {
				"connect=false", "LoadBalancer",
				`The tunnel from "rome" to "milan" does not come up`, []string{
					`Time ran out while waiting for the tunnel to come up on "rome" and "milan".`,
					`Both gateways are in place. The gateway of "rome" dials 172.18.…, UDP port 51840, and gets no answer.`,
					`On leaf "rome", Connection liqo-tenant-milan/gw-milan …. On leaf "milan", Connection ` +
						`liqo-tenant-rome/gw-rome ….`,
					`Check that the nodes of "rome" can reach 172.18.…, UDP port 51840, ` +
						`and that no firewall or security group at either end drops UDP. ` +
						"If they reach \"milan\" at another address, set `server_address` and `server_port` in " +
						"`client_gateway`, or another `service_type` in `server_gateway`.",
					`How far it got:`, acctest.HelpAt("tunnel-not-connected"),
				},
			},
			"naples": {
				"gateway-ready-after=1h", "LoadBalancer",
				`The gateway's pod is not ready on leaf "naples"`, []string{
					`Time ran out while waiting for … on "naples".`,
					`Pod liqo-tenant-rome/gw-rome-… is in phase Pending and not ready.`,
					"If the pod is only slow, allow more time in `timeouts` and apply again. Otherwise, see what it does:",
					`kubectl -n liqo-tenant-rome describe pod gw-rome-…`,
					`How far it got:`, `…done rome: read its address ranges`, `…done naples: GatewayServer`,
					`…done naples: address of the gateway`, `…done rome: GatewayClient`,
					// Liqo does not always share the key of a pod that is not ready. Then this step has not begun, and others.
					`…not … naples: connection…`, acctest.HelpAt("gateway-pod-not-ready"),
				},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var shortcuts string
			for server, failure := range failures {
				shortcuts += acctest.FromTo("to_"+server, "rome", server, fmt.Sprintf(`
					server_gateway = { service_type = %q }
					timeouts       = { create = %q }`, failure.serviceType, acctest.Ample))
			}
			p := lab.Written(t, lab.Contexts(shortcuts))
			for server, failure := range failures {
				lab.Set(t, server, failure.broken)
			}
			output := p.Refused("apply", "-auto-approve")
			for _, failure := range failures {
				acctest.Explains(t, output, failure.headline, failure.text...)
			}
		})
	}
}

func TestAccTwoAppliesAtOnceOnPairsThatShareALeafCreateBoth(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	states := []*acctest.Project{
		lab.StateIn(t, "north", acctest.Joining("s", "rome", "milan", "")),
		lab.StateIn(t, "south", acctest.Joining("s", "milan", "naples", "")),
	}
	for _, args := range [][]string{
		{"apply", "-auto-approve"}, {"plan", "-detailed-exitcode"}, {"destroy", "-auto-approve"},
	} {
		running := []*acctest.Execution{states[0].Begin(args...), states[1].Begin(args...)}
		for _, one := range running {
			if output, err := one.Wait(); err != nil {
				t.Errorf("terraform %v: %v\n%s", args, err, output)
			}
		}
	}
}
