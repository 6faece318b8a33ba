package topology

import (
	"fmt"
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m, acctest.WithTenantNamespaces) }

// Three shortcuts at a time wait for something, each at another server. Package explain tests the whole texts.
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
					`…not done milan: address of the gateway (…s)`, `…not begun rome: GatewayClient, and … more`,
					acctest.HelpAt("load-balancer-without-address"),
				},
			},
			"europe": {
				"schedulable=false", "LoadBalancer",
				`The gateway's pod can't be scheduled on leaf "europe"`, []string{
					`Time ran out while waiting for … on "europe".`,
					`The scheduler reports for Pod liqo-tenant-rome/gw-rome-…: 0/1 nodes are available: ` +
						`1 node(s) were unschedulable. preemption: 0/1 nodes are available: ` +
						`1 Preemption is not helpful for scheduling.`,
					acctest.HelpAt("gateway-not-scheduled"),
				},
			},
			"naples": {
				"pull-image=false", "LoadBalancer",
				`The gateway's image can't be pulled on leaf "naples"`, []string{
					`Time ran out while waiting for … on "naples".`,
					`The kubelet can't pull image ghcr.io/liqotech/… of Pod liqo-tenant-rome/gw-rome-…, container …: ` +
						`Back-off pulling image "…": ErrImagePull: …: not found.`,
					acctest.HelpAt("gateway-image-not-pulled"),
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
					`…done europe: GatewayServer`, `…not done europe: key of the gateway`, acctest.HelpAt("controllers-down"),
				},
			},
			"milan": {
				"connect=false", "LoadBalancer",
				`The tunnel from "rome" to "milan" does not come up`, []string{
					`Time ran out while waiting for the tunnel to come up on "rome" and "milan".`,
					`Both gateways are in place. The gateway of "rome" dials 172.18.…, UDP port 51840, and gets no answer.`,
					`On leaf "rome", Connection liqo-tenant-milan/gw-milan …. On leaf "milan", Connection ` +
						`liqo-tenant-rome/gw-rome ….`,
					acctest.HelpAt("tunnel-not-connected"),
				},
			},
			"naples": {
				"gateway-ready-after=1h", "LoadBalancer",
				`The gateway's pod is not ready on leaf "naples"`, []string{
					`Time ran out while waiting for … on "naples".`,
					`Pod liqo-tenant-rome/gw-rome-… is in phase Pending and not ready.`,
					`…done rome: read its address ranges`, `…done naples: GatewayServer`, `…done naples: address of the gateway`,
					`…done rome: GatewayClient`,
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
