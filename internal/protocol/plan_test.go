package protocol

import (
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
)

func TestAReplacementKeepsConfiguredValues(t *testing.T) {
	l := leavesFor(t, topology...)
	l.have("rome", namespaceNamed("shortcuts"))
	const settings = overNodePort + `
		client_namespace = "shortcuts"
		client_network   = { pod_cidrs = ["10.202.64.0/18"] }`
	p := l.project(t, between("milan", settings))
	p.apply()

	p.configure(between("europe", settings))
	l.of("rome").Stop()
	continued := p.plan() // without the leaf that does not answer
	continued.does("replace", romeMilan)
	continued.says("Warning:", `leaf "rome"`, "connection refused", "with "+romeMilan+",")
	l.of("rome").Start()
	p.apply().does("replace", romeMilan)
	p.has(romeMilan, "Connected", "status")
	p.has(romeMilan, "shortcuts", "client_namespace")
	p.has(romeMilan, `["10.202.64.0/18"]`, "client_network", "pod_cidrs")
	p.destroy()
}

func TestAPlanHasUnknownValuesOnlyForAMissingConfiguration(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()

	l.lose("rome", inTenant(&networkingv1beta1.GatewayClient{}, "milan"))
	repaired := p.apply()
	repaired.does("update", romeMilan)
	repaired.plans(romeMilan, `["10.202.0.0/16"]`, "client_network", "remapped_pod_cidrs")
	repaired.plans(romeMilan, `["10.203.0.0/16"]`, "server_network", "remapped_pod_cidrs")
	p.has(romeMilan, "Connected", "status")

	l.lose("rome", inTenant(&networkingv1beta1.Configuration{}, "milan")) // Rome's record of Milan's network
	repaired = p.apply()
	repaired.does("update", romeMilan)
	repaired.plans(romeMilan, `["10.202.0.0/16"]`, "client_network", "remapped_pod_cidrs")
	repaired.plans(romeMilan, unknown, "server_network", "remapped_pod_cidrs")
	p.has(romeMilan, "Connected", "status")
}
