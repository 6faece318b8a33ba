package explain

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestTheErrorSaysWhatARunningGatewayLacks(t *testing.T) {
	unaddressed := exposedGateway()
	unaddressed.Status.Endpoint = nil
	says(t, told(t, append([]client.Object{unaddressed}, runningGateway()[1:]...)...), "the gateway has no address",
		"GatewayServer liqo-tenant-rome/rome has no address in its status",
		"Liqo gives none if the node of the gateway's pod is not ready or has no address, or if several active pods of "+
			"gateways run in namespace liqo-tenant-rome. Check this:\n\n"+
			"  kubectl -n liqo-tenant-rome get pods -l networking.liqo.io/component=gateway -o wide\n\n"+
			"The log of Liqo's controllers shows more:\n\n"+
			"  kubectl -n liqo logs -l app.kubernetes.io/name=controller-manager --tail=-1")
	says(t, told(t, runningGateway()...), `the key of "rome" is missing`, `does not have the key of "rome" yet`,
		`Check why the gateway of "rome" has not created a key.`)
	says(t, told(t, append(runningGateway(), clustertest.PublicKey("rome"))...), "the gateway reports no connection",
		"GatewayServer liqo-tenant-rome/rome runs, but its pod has not created a Connection.",
		"kubectl -n liqo-tenant-rome logs deployment/gw-rome")
}

// saysOfBoth checks the headline, which is about the tunnel, and parts of the text below it.
func saysOfBoth(t *testing.T, err error, parts ...string) {
	t.Helper()
	reads(t, err, `the tunnel from "rome" to "milan" does not come up`, parts...)
}

func TestTheErrorOfATunnelSaysWhichEndpointTheClientDials(t *testing.T) {
	inVain := func(value networkingv1beta1.ConnectionStatusValue) error {
		return late(t, of(clustertest.Leaf(t, "rome", dialled(value)...), "milan", dialled(value)...))
	}
	saysOfBoth(t, inVain(""),
		`Both gateways are in place. The gateway of "rome" dials 172.18.0.2, UDP port 31000, and gets no answer.`,
		`Connection liqo-tenant-milan/gw-milan has no status yet.`,
		`Check that the nodes of "rome" can reach 172.18.0.2, UDP port 31000`, "set `server_address`")
	saysOfBoth(t, inVain(networkingv1beta1.Connected), "dials 172.18.0.2, UDP port 31000.\n",
		`Connection liqo-tenant-milan/gw-milan says "Connected".`)
}

func TestTheAdviceAboutASingleEndFitsItsResource(t *testing.T) {
	objects := dialled("")
	rome := of(clustertest.Leaf(t, "rome", objects...), "milan", objects...)
	rome.Alone = true
	saysOfBoth(t, late(t, rome),
		`If they reach "milan" at another address, set `+"`server_address` in the liqo_gateway_client.")

	alone := milan(t, exposed(networkingv1beta1.Connecting)...)
	alone.Alone = true
	saysOfBoth(t, late(t, alone), `On leaf "milan", Connection liqo-tenant-rome/gw-rome says "Connecting".`,
		`the nodes of "rome" can reach 172.18.0.2, UDP port 31000`, "firewall",
		`If they reach "milan" at another address, the administrators of "rome" must set it as `+
			"`server_address` in their liqo_gateway_client.")
}
