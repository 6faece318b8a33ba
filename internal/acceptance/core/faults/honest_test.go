package faults

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/client-go/rest"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// later is the address of a cluster's API server as it will be after that time: all is as it is now, but the clock.
func later(t *testing.T, l *acctest.Lab, name string, by time.Duration) string {
	t.Helper()
	config := l.Config(t, name)
	transport, err := rest.TransportFor(config)
	target, err2 := url.Parse(config.Host)
	acctest.Must(t, errors.Join(err, err2))
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:       func(request *httputil.ProxyRequest) { request.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1, // a watch goes on for ever
		ModifyResponse: func(response *http.Response) error {
			date, err := http.ParseTime(response.Header.Get("Date"))
			response.Header.Set("Date", date.Add(by).UTC().Format(http.TimeFormat))
			return err
		},
	})
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

func TestAccATunnelOnWhichNobodyReportsIsNotConnected(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	const looked = `
		data "liqo_shortcut" "rome_milan" {
		  client = "rome"
		  server = "milan"
		}
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
	for _, name := range []string{"rome", "milan"} {
		lab.Set(t, name, "mute=true")
	}
	inAnHour := acctest.Required + fmt.Sprintf(`
		provider "liqo" {
		  clusters = {
		    rome  = { host = %q }
		    milan = { host = %q }
		  }
		}
		resource "liqo_shortcut" "rome_milan" {
		  client = "rome"
		  server = "milan"
		  %s
		}`, later(t, lab, "rome", time.Hour), later(t, lab, "milan", time.Hour), acctest.OverNodePort)
	p.Write("main.tf", inAnHour)
	output := p.Run("plan", "-detailed-exitcode") // it fails where it would change anything
	acctest.Says(t, output, `Warning: The tunnel from "rome" to "milan" is down`)
	for at, of := range map[string]string{"rome": "milan", "milan": "rome"} {
		acctest.Says(t, output,
			fmt.Sprintf(`On leaf %q, the gateway has reported nothing since 20`, at),
			fmt.Sprintf(`though Connection liqo-tenant-%s/gw-%s still says "Connected".`, of, of),
			fmt.Sprintf(`This is why: the gateway reports nothing on leaf %q.`, at),
			fmt.Sprintf(`Kubernetes calls Pod liqo-tenant-%s/gw-%s-`, of, of))
	}
	p.Write("main.tf", inAnHour+looked)
	p.Run("apply", "-auto-approve")
	p.Is(acctest.RomeMilan, map[string]any{"status": "Connecting"})
	acctest.Says(t, p.Run("output"), `"client_end" = "Connecting"`, `"server_end" = "Connecting"`, `measured = "20`,
		`listed = tolist([ "Connecting", ])`, `edges = tolist([ "Connecting", ])`, `last_answers = tolist([ "20`)

	reported := func(connection *networkingv1beta1.Connection) bool {
		return connection.Status.Latency.Timestamp.After(fellSilent.Add(time.Second)) // written in whole seconds
	}
	for at, of := range map[string]string{"rome": "milan", "milan": "rome"} {
		lab.Set(t, at, "mute=false")
		acctest.Await(t, lab, at, &networkingv1beta1.ConnectionList{}, "gw-"+of, reported)
	}
	p.Write("main.tf", lab.Between("milan", acctest.OverNodePort)) // back in the present
	p.Run("apply", "-auto-approve")
	p.IsConnected()
}
