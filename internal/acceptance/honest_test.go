package acceptance

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"testing"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// later is the address of a cluster's API server as it will be after that time: all is as it is now, but the clock.
func (l *Lab) later(t *testing.T, name string, by time.Duration) string {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", l.cluster(t, name).Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
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
	lab := borrowLab(t)
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
	p := lab.written(t, lab.between("milan", overNodePort))
	p.apply()
	fellSilent := time.Now()
	for _, name := range []string{"rome", "milan"} {
		lab.command(t, "set", name, "mute=true")
		t.Cleanup(func() { lab.command(t, "set", name, "mute=false") })
	}
	inAnHour := fmt.Sprintf(`
		terraform {
		  required_providers {
		    liqo = { source = "leafmesh/liqo" }
		  }
		}
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
		}`, lab.later(t, "rome", time.Hour), lab.later(t, "milan", time.Hour), overNodePort)
	p.write("main.tf", inAnHour)
	output := p.run("plan", "-detailed-exitcode") // it fails where it would change anything
	says(t, output, `Warning: The tunnel from "rome" to "milan" is down`)
	for at, of := range map[string]string{"rome": "milan", "milan": "rome"} {
		says(t, output,
			fmt.Sprintf(`On leaf %q, the gateway has reported nothing since 20`, at),
			fmt.Sprintf(`though Connection liqo-tenant-%s/gw-%s still says "Connected".`, of, of),
			fmt.Sprintf(`This is why: the gateway reports nothing on leaf %q.`, at),
			fmt.Sprintf(`Kubernetes calls Pod liqo-tenant-%s/gw-%s-`, of, of))
	}
	p.write("main.tf", inAnHour+looked)
	p.run("apply", "-auto-approve")
	says(t, p.run("state", "show", romeMilan), `status = "Connecting"`)
	says(t, p.run("output"), `"client_end" = "Connecting"`, `"server_end" = "Connecting"`, `measured = "20`,
		`listed = tolist([ "Connecting", ])`, `edges = tolist([ "Connecting", ])`, `last_answers = tolist([ "20`)

	reported := func(connection *networkingv1beta1.Connection) bool {
		return connection.Status.Latency.Timestamp.After(fellSilent.Add(time.Second)) // written in whole seconds
	}
	for at, of := range map[string]string{"rome": "milan", "milan": "rome"} {
		lab.command(t, "set", at, "mute=false")
		await(t, lab, at, &networkingv1beta1.ConnectionList{}, "gw-"+of, reported)
	}
	p.write("main.tf", lab.between("milan", overNodePort)) // back in the present
	p.run("apply", "-auto-approve")
	says(t, p.run("state", "show", romeMilan), `status = "Connected"`)
}

func TestAccRangesThatWouldLosePacketsAreRefusedAtThePlan(t *testing.T) {
	lab := borrowLab(t)
	lab.planned(t, map[string]struct {
		settings string
		message  *regexp.Regexp
	}{
		"pods": {
			overNodePort + "\n" + `server_network = { pod_cidrs = ["10.220.0.0/16"] }`,
			message(`There are no pods in 10.220.0.0/16 on leaf "milan"`, "with liqo_shortcut.rome_milan,",
				`…The pods of "milan" have addresses in 10.203.0.0/16.`),
		},
		"the external CIDR": {
			overNodePort + "\n" + `client_network = { external_cidr = "10.70.128.0/17" }`,
			message(`10.70.128.0/17 does not begin the external CIDR on leaf "rome"`, "with liqo_shortcut.rome_milan,",
				`…The external CIDR of "rome" is 10.70.0.0/16.`),
		},
	})
}
