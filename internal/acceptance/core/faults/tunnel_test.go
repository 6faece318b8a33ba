package faults

import (
	"fmt"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccATunnelThatIsDownIsNotAChange(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	usual := lab.Between("milan", acctest.OverNodePort+acctest.InDefault)
	unhurried := lab.Between("milan", acctest.OverNodePort+acctest.InDefault+"\nwait_for_connection = false")
	down := map[string]any{"status": "Error"}
	p := lab.Applied(t, usual)
	p.IsConnected()

	lab.Set(t, "milan", "connect=false")
	lab.GoesDown(t)
	acctest.Says(t, p.Again(), acctest.Nothing)
	p.Is(acctest.RomeMilan, down)
	for _, setting := range []string{unhurried, usual} { // only a setting
		p.Becomes(setting, acctest.InPlace)
		p.Is(acctest.RomeMilan, down)
	}

	lab.Set(t, "milan", "connect=true")
	lab.ComesUp(t)
	acctest.Says(t, p.Again(), acctest.Nothing)
	p.IsConnected()
}

func TestAccATunnelOnWhichNobodyReportsIsNotConnected(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	const looked = acctest.DataRomeMilan + `
		output "ends" {
		  value = { for name in ["client_end", "server_end"] : name => data.liqo_shortcut.rome_milan[name].status }
		}
		output "measured" { value = data.liqo_shortcut.rome_milan.client_end.latency_measured_at }
		data "liqo_shortcuts" "all" { clusters = ["rome", "milan"] }
		output "listed" { value = data.liqo_shortcuts.all.shortcuts[*].status }
		data "liqo_topology" "all" { clusters = ["rome", "milan"] }
		output "edges" { value = data.liqo_topology.all.edges[*].status }
		output "last_answers" { value = data.liqo_topology.all.edges[*].latency_measured_at }`
	p := lab.Applied(t, lab.Between("milan", acctest.OverNodePort))
	fellSilent := time.Now()
	anHourAgo := fmt.Sprintf(`{"status":{"latency":{"value":"1ms","timestamp":%q}}}`,
		fellSilent.Add(-time.Hour).UTC().Format(time.RFC3339))
	for at, of := range acctest.Other {
		lab.Set(t, at, "mute=true")
		connection := acctest.Named(&networkingv1beta1.Connection{}, "liqo-tenant-"+of, "gw-"+of)
		lab.PatchStatus(t, at, connection, anHourAgo)
		lab.Patch(t, at, connection, `{"metadata":{"managedFields":[{}]}}`) // which show that somebody has just written
	}
	output := p.Run("plan", "-detailed-exitcode") // it fails where it would change anything
	for at, of := range acctest.Other {
		acctest.Says(t, output, `Warning: The tunnel from "rome" to "milan" is down`,
			fmt.Sprintf(`On leaf %q, the gateway has reported nothing since 20`, at),
			fmt.Sprintf(`though Connection liqo-tenant-%s/gw-%s still says "Connected".`, of, of),
			fmt.Sprintf(`This is why: the gateway reports nothing on leaf %q.`, at),
			fmt.Sprintf(`Kubernetes calls Pod liqo-tenant-%s/gw-%s-`, of, of))
	}
	p.Write("looked.tf", looked)
	p.Run("apply", "-auto-approve")
	p.Is(acctest.RomeMilan, map[string]any{"status": "Connecting"})
	acctest.Says(t, p.Run("output"), `"client_end" = "Connecting"`, `"server_end" = "Connecting"`, `measured = "20`,
		`listed = tolist([ "Connecting", ])`, `edges = tolist([ "Connecting", ])`, `last_answers = tolist([ "20`)

	reported := func(connection *networkingv1beta1.Connection) bool {
		return connection.Status.Latency.Timestamp.After(fellSilent.Add(time.Second)) // written in whole seconds
	}
	for at, of := range acctest.Other {
		lab.Set(t, at, "mute=false")
		acctest.Await(t, lab, at, &networkingv1beta1.ConnectionList{}, "gw-"+of, reported)
	}
	p.Run("apply", "-auto-approve")
	p.IsConnected()
}
