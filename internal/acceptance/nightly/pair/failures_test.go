package pair

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// limited returns a shortcut with this timeout.
func limited(l *acctest.Lab, serviceType string) string {
	return l.Contexts(fmt.Sprintf(`
		resource "liqo_shortcut" "rome_milan" {
		  client         = "rome"
		  server         = "milan"
		  server_gateway = { service_type = %q }
		  timeouts       = { create = %q }
		}`, serviceType, acctest.Ample))
}

func TestAccFailureToConnectIsExplainedByWhatTheLeavesShow(t *testing.T) {
	for name, test := range map[string]struct {
		broken, repaired string // settings of Milan
		serviceType      string
		message          *regexp.Regexp
	}{
		"no address for the Service": {
			"load-balancer=false", "load-balancer=true", "LoadBalancer",
			acctest.Message(`The load balancer gives no address on leaf "milan"`,
				// before the pod is ready, also for its keys
				`Time ran out while waiting for …the gateway's Service to get an address on "milan".`,
				`Service liqo-tenant-rome/gw-rome is of type LoadBalancer and has no address. No event of the `+
					`Service says why.`,
				"Check that leaf \"milan\" has a load balancer and that it works. If it has none, set `service_type = "+
					"\"NodePort\"` in `server_gateway`.",
				`How far it got:`, `…not done milan: address of the gateway (…s)`, `…not begun rome: GatewayClient`,
				acctest.HelpAt("load-balancer-without-address")),
		},
		"no room for the pod": {
			"schedulable=false", "schedulable=true", "LoadBalancer",
			acctest.Message(`The gateway's pod can't be scheduled on leaf "milan"`,
				`Time ran out while waiting for … on "milan".`,
				`The scheduler reports for Pod liqo-tenant-rome/gw-rome-…: 0/1 nodes are available: `+
					`1 node(s) were unschedulable. preemption: 0/1 nodes are available: `+
					`1 Preemption is not helpful for scheduling.`,
				"Add a node that can take it to the leaf, or correct `pods` or the gateway's template and apply again.",
				`How far it got:`, acctest.HelpAt("gateway-not-scheduled")),
		},
		"no image": {
			"pull-image=false", "pull-image=true", "LoadBalancer",
			acctest.Message(`The gateway's image can't be pulled on leaf "milan"`,
				`Time ran out while waiting for … on "milan".`,
				`The kubelet can't pull image ghcr.io/liqotech/… of Pod liqo-tenant-rome/gw-rome-…, container `+
					`…: Back-off `+
					`pulling image "…": `+
					`ErrImagePull: …: not found.`,
				`Check that the nodes of leaf "milan" can reach this registry and may pull this image.`,
				`How far it got:`, acctest.HelpAt("gateway-image-not-pulled")),
		},
		"no controllers of Liqo": {
			"liqo=stopped", "liqo=running", "NodePort",
			acctest.Message(`Liqo's controllers do not run on leaf "milan"`,
				`Time ran out while waiting for Liqo to create the gateway's keys, for Liqo to remap the other `+
					`leaf's address ranges and for the `+
					`gateway's Service to get an address on "milan".`,
				`Liqo has not reacted to Configuration liqo-tenant-rome/rome and GatewayServer `+
					`liqo-tenant-rome/rome yet.`,
				`Deployment liqo/liqo-controller-manager, which runs Liqo's controllers, is scaled to 0 replicas.`,
				`Start Liqo's controllers on leaf "milan" again. To see why they do not run:`,
				`kubectl -n liqo describe deployment liqo-controller-manager`,
				`How far it got:`, `…done milan: GatewayServer`, `…not done milan: key of the gateway`,
				acctest.HelpAt("controllers-down")),
		},
		"no packets": {
			"connect=false", "connect=true", "LoadBalancer",
			acctest.Message(`The tunnel from "rome" to "milan" does not come up`,
				`Time ran out while waiting for the tunnel to come up on "rome" and "milan".`,
				`Both gateways are in place. The gateway of "rome" dials 172.18.…, UDP port 51840, and gets no answer.`,
				`On leaf "rome", Connection liqo-tenant-milan/gw-milan …. On leaf "milan", Connection `+
					`liqo-tenant-rome/gw-rome ….`,
				`Check that the nodes of "rome" can reach 172.18.…, UDP port 51840, `+
					`and that no firewall or security group at either end drops UDP. `+
					"If they reach \"milan\" at another address, set `connect_address` and `connect_port` in "+
					"`client_gateway`, or another `service_type` in `server_gateway`.",
				`How far it got:`, acctest.HelpAt("tunnel-not-connected")),
		},
		"a slow start": {
			"gateway-ready-after=1h", "gateway-ready-after=0s", "LoadBalancer",
			acctest.Message(`The gateway's pod is not ready on leaf "milan"`,
				`Time ran out while waiting for … on "milan".`,
				`Pod liqo-tenant-rome/gw-rome-… is in phase Pending and not ready.`,
				"If the pod is only slow, allow more time in `timeouts` and apply again. Otherwise, see what it does:",
				`kubectl -n liqo-tenant-rome describe pod gw-rome-…`,
				`How far it got:`,
				`…done rome: read its address ranges`, `…done milan: GatewayServer`, `…done milan: address of `+
					`the gateway`,
				`…done rome: GatewayClient`,
				// Liqo does not always share the key of a pod that is not ready
				`…not … rome: connection`, `…not … milan: connection`, acctest.HelpAt("gateway-pod-not-ready")),
		},
	} {
		t.Run(name, func(t *testing.T) {
			lab := acctest.Borrow(t, acctest.Pair)
			t.Cleanup(func() { lab.Command(t, "set", "milan", test.repaired) })
			lab.Command(t, "set", "milan", test.broken)
			steps := []resource.TestStep{{Config: limited(lab, test.serviceType), ExpectError: test.message}}
			if test.repaired == "liqo=running" { // without Liqo, nothing can be removed
				repair := func() { lab.Command(t, "set", "milan", test.repaired) }
				steps = append(steps,
					resource.TestStep{PreConfig: repair, Config: limited(lab, test.serviceType), Destroy: true})
			}
			acctest.Apply(t, steps...)
		})
	}
}

func TestAccFailureOfAPodThatPodSecurityRejectsHasItsReason(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	namespace := tenantnamespace.NewManager(nil, nil).ForgeNamespace("rome", nil)
	namespace.Labels[owner.ManagedByLabel] = owner.ManagedBy // so that the provider removes it
	namespace.Labels["pod-security.kubernetes.io/enforce"] = "restricted"
	lab.Have(t, "milan", namespace)
	acctest.Apply(t, resource.TestStep{
		Config: limited(lab, "LoadBalancer"),
		ExpectError: acctest.Message(`The gateway's pod is refused on leaf "milan"`,
			`Time ran out while waiting for … on "milan".`,
			`Deployment liqo-tenant-rome/gw-rome can't create its pod: pods "gw-rome-…" is forbidden: `+
				`violates PodSecurity "restricted:latest": privileged (…`,
			`…A gateway's pod is privileged and forwards packets. The leaf's policies, quotas and Pod Security labels `+
				`must allow this in namespace liqo-tenant-rome.`,
			`How far it got:`, acctest.HelpAt("gateway-pod-refused")),
	})
}
