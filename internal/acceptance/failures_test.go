//go:build acceptance

package acceptance

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"

	"github.com/leafmesh/terraform-provider-liqo/internal/end"
)

// message matches what a user reads: a headline, then the text below it, line breaks apart. What differs from run to run is written as "…".
func message(headline string, text ...string) *regexp.Regexp {
	pattern := words("Error: "+headline) + `\s.*?`
	for i, paragraph := range text {
		if i > 0 {
			pattern += `\s+` // nothing stands between two paragraphs
		}
		pattern += words(paragraph)
	}
	return regexp.MustCompile(`(?s)` + pattern)
}

// either matches what one of two patterns matches.
func either(one, other *regexp.Regexp) *regexp.Regexp {
	return regexp.MustCompile(one.String() + "|" + other.String())
}

func words(sentence string) string {
	fields := strings.Fields(sentence)
	for i, field := range fields {
		fields[i] = strings.ReplaceAll(regexp.QuoteMeta(field), "…", `.*?`)
	}
	return strings.Join(fields, `\s+`)
}

// hurried is a shortcut that has little time to be made; enough for all but one thing to be in place even on a slow machine.
func hurried(serviceType string) string {
	return contexts(fmt.Sprintf(`
		resource "liqo_shortcut" "rome_milan" {
		  client         = "rome"
		  server         = "milan"
		  server_gateway = { service_type = %q }
		  timeouts       = { create = "5s" }
		}`, serviceType))
}

func TestFailureToConnectIsExplainedByWhatTheLeavesShow(t *testing.T) {
	before, err := lab.inventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		broken, mended string // settings of Milan
		serviceType    string
		message        *regexp.Regexp
	}{
		"no address for the Service": {
			"load-balancer=false", "load-balancer=true", "LoadBalancer",
			message(`The load balancer gives no address on leaf "milan"`,
				`Time ran out while waiting for …the gateway's Service to get an address on "milan".`, // and, before the pod is ready, for its keys
				`Service liqo-tenant-rome/gw-rome is of type LoadBalancer and has no address. No event of the Service says why.`,
				"Check that leaf \"milan\" has a load balancer and that it works. If it has none, set `service_type = \"NodePort\"` in `server_gateway`.",
				`How far it got:`, `…not done milan: address of the gateway (…s)`, `…not begun rome: GatewayClient`),
		},
		"no room for the pod": {
			"schedulable=false", "schedulable=true", "LoadBalancer",
			message(`The gateway's pod can't be scheduled on leaf "milan"`,
				`Time ran out while waiting for … on "milan".`,
				`The scheduler says of Pod liqo-tenant-rome/gw-rome-…: 0/1 nodes are available: 1 node(s) were unschedulable. preemption: 0/1 nodes `+
					`are available: 1 Preemption is not helpful for scheduling.`,
				`Give the leaf a node that the pod fits on, or set what the pod asks for in Liqo's template of the gateway.`,
				`How far it got:`),
		},
		"no image": {
			"pull-image=false", "pull-image=true", "LoadBalancer",
			message(`The gateway's image can't be pulled on leaf "milan"`,
				`Time ran out while waiting for … on "milan".`,
				`The kubelet can't pull image ghcr.io/liqotech/… of Pod liqo-tenant-rome/gw-rome-…, container …: Back-off pulling image "…": `+
					`ErrImagePull: …: not found.`,
				`Check that the nodes of leaf "milan" can reach that registry and may pull that image.`,
				`How far it got:`),
		},
		"no controllers of Liqo": {
			"liqo=stopped", "liqo=running", "NodePort",
			message(`Liqo's controllers do not run on leaf "milan"`,
				`Time ran out while waiting for Liqo to make the gateway's keys, for Liqo to remap the other leaf's address ranges and for the `+
					`gateway's Service to get an address on "milan".`,
				`Liqo has done nothing with Configuration liqo-tenant-rome/rome and GatewayServer liqo-tenant-rome/rome yet.`,
				`Deployment liqo/liqo-controller-manager, which has Liqo's controllers, is scaled to no pods.`,
				`Let Liqo's controllers run again on leaf "milan". What is wrong with them shows:`,
				`kubectl -n liqo describe deployment liqo-controller-manager`,
				`How far it got:`, `…done milan: GatewayServer`, `…not done milan: key of the gateway`),
		},
		"no packets": {
			"connect=false", "connect=true", "LoadBalancer",
			message(`The tunnel from "rome" to "milan" does not come up`,
				`Time ran out while waiting for the tunnel to come up on "rome" and "milan".`,
				`Both gateways are in place. The one of "rome" dials 172.18.…, UDP port 51840, and gets no answer.`,
				`On leaf "rome", Connection liqo-tenant-milan/gw-milan …. On leaf "milan", Connection liqo-tenant-rome/gw-rome ….`,
				`Check that the nodes of "rome" can reach 172.18.…, UDP port 51840, and that no firewall or security group drops UDP on the way, at either end. `+
					"If they reach \"milan\" at another address, set `connect_address` and `connect_port` in `client_gateway`.",
				`How far it got:`),
		},
		"a slow start": {
			"gateway-ready-after=1h", "gateway-ready-after=0s", "LoadBalancer",
			message(`The gateway's pod is not ready on leaf "milan"`,
				`Time ran out while waiting for … on "milan".`,
				`Pod liqo-tenant-rome/gw-rome-… is in phase Pending and not ready.`,
				"If it only takes long to start, allow more time in `timeouts` and apply again. Else see what it does:",
				`kubectl -n liqo-tenant-rome describe pod gw-rome-…`,
				`How far it got:`,
				`…done rome: read its address ranges`, `…done milan: GatewayServer`, `…done milan: address of the gateway`, `…done rome: GatewayClient`,
				`…not … rome: connection`, `…not … milan: connection`), // Liqo tells the key of a pod that is not ready sometimes, and sometimes not
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(func() { lab.command(t, "set", "milan", test.mended) })
			lab.command(t, "set", "milan", test.broken)
			steps := []resource.TestStep{{Config: hurried(test.serviceType), ExpectError: test.message}}
			if test.mended == "liqo=running" { // nothing can be removed without it
				mend := func() { lab.command(t, "set", "milan", test.mended) }
				steps = append(steps, resource.TestStep{PreConfig: mend, Config: hurried(test.serviceType), Destroy: true})
			}
			terraformOn(t, steps...)
		})
	}
	if err := lab.sameInventory(t.Context(), before); err != nil {
		t.Error(err)
	}
}

func TestFailureOfAPodThatPodSecurityRefusesHasItsReason(t *testing.T) {
	before, err := lab.inventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	namespace := tenantnamespace.NewManager(nil, nil).ForgeNamespace("rome", nil)
	namespace.Labels[end.ManagedByLabel] = end.ManagedBy // so that the provider takes it away
	namespace.Labels["pod-security.kubernetes.io/enforce"] = "restricted"
	have(t, "milan", namespace)
	terraformOn(t, resource.TestStep{
		Config: hurried("LoadBalancer"),
		ExpectError: message(`The gateway's pod is refused on leaf "milan"`,
			`Time ran out while waiting for … on "milan".`,
			`Deployment liqo-tenant-rome/gw-rome can't make its pod: pods "gw-rome-…" is forbidden: violates PodSecurity "restricted:latest": `+
				`privileged (…`,
			`…A gateway's pod is privileged and forwards packets. Let the leaf's policies, quotas and Pod Security labels allow it in namespace `+
				`liqo-tenant-rome.`,
			`How far it got:`),
	})
	if err := lab.sameInventory(t.Context(), before); err != nil {
		t.Error(err)
	}
}

func TestFailureToRemoveIsExplainedByWhatHoldsTheObjects(t *testing.T) {
	const impatient = `
		resource "liqo_shortcut" "rome_milan" {
		  client         = "rome"
		  server         = "milan"
		  server_gateway = { service_type = "NodePort" }
		  timeouts       = { delete = "3s" }
		}`
	const (
		stopped     = `Liqo's controllers do not run on leaf "milan"`
		gateway     = `WgGatewayServer liqo-tenant-rome/rome is still there, held by the finalizer ….`
		controllers = `Deployment liqo/liqo-controller-manager, which has Liqo's controllers, is scaled to no pods.`
		network     = `Network liqo-tenant-rome/rome-… is still there, held by the finalizer ….`
		advice      = `Let Liqo's controllers run again on leaf "milan".`
	)
	t.Cleanup(func() { lab.command(t, "set", "milan", "liqo=running") })
	apply(t,
		resource.TestStep{Config: contexts(impatient)},
		resource.TestStep{
			PreConfig: func() { lab.command(t, "set", "milan", "liqo=stopped") },
			Config:    contexts(impatient), Destroy: true,
			ExpectError: either(
				message(stopped,
					`Time ran out while waiting for Deployment liqo-tenant-rome/gw-rome to be deleted and for Network liqo-tenant-rome/rome-… to be deleted on "milan".`,
					gateway, controllers, network, advice),
				// Kubernetes empties the tenant namespace meanwhile, the Deployment with it, if it has deleted one of that name seconds before.
				message(stopped,
					`Time ran out while waiting for Network liqo-tenant-rome/rome-… to be deleted and for WgGatewayServer liqo-tenant-rome/rome to be deleted on "milan".`,
					network, controllers, gateway, advice)),
		},
		resource.TestStep{
			PreConfig: func() { lab.command(t, "set", "milan", "liqo=running") },
			Config:    contexts(shortcutRomeMilan), ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
	)
}

func TestFailureOfAnAPIServerDuringAndBeforeTheWork(t *testing.T) {
	t.Cleanup(func() {
		lab.command(t, "start-apiserver", "milan")
		lab.command(t, "set", "milan", "connect=true")
	})
	const (
		during = `
			resource "liqo_shortcut" "rome_milan" {
			  client   = "rome"
			  server   = "milan"
			  timeouts = { create = "8s" }
			}`
		before = `
			resource "liqo_shortcut" "europe_milan" {
			  client = "europe"
			  server = "milan"
			}`
		headline = `The API server can't be reached on leaf "milan"`
		advice   = `Check that the cluster runs and that its address can be reached from here.`
	)
	stopped := make(chan struct{})
	apply(t,
		resource.TestStep{
			PreConfig: func() {
				lab.command(t, "set", "milan", "connect=false")
				inPlace := connectionAppears(t, "milan")
				go func() {
					defer close(stopped)
					<-inPlace // only the tunnel is waited for now
					lab.command(t, "stop-apiserver", "milan")
				}()
			},
			Config: contexts(during),
			ExpectError: message(headline,
				`Time ran out while waiting for the tunnel to come up on "milan".`,
				`The connection failed: 127.0.0.1:…: connect: connection refused`, advice, `How far it got:`),
		},
		resource.TestStep{
			PreConfig:   func() { <-stopped },
			Config:      contexts(before + during),
			ExpectError: message(headline, `…with liqo_shortcut.europe_milan,`, `…The connection failed: 127.0.0.1:…: connect: connection refused`, advice),
		},
		resource.TestStep{
			PreConfig: func() {
				lab.command(t, "start-apiserver", "milan")
				lab.command(t, "set", "milan", "connect=true")
			},
			// The process that lost the API server could not release its Lease there, so this one waits until that has ended.
			Config:            contexts(strings.Replace(during, "8s", "5m", 1)),
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
	)
}

func TestFailureOfCredentialsLosesNothing(t *testing.T) {
	milan := credentials(t, "milan")
	reached := func(token, ca string) string {
		return fmt.Sprintf(`
			provider "liqo" {
			  config_path = %q
			  clusters    = { milan = { host = %q, token = %q, cluster_ca_certificate = %q } }
			}`, lab.Kubeconfig, milan.server, token, ca) + shortcutRomeMilan
	}
	apply(t,
		resource.TestStep{Config: reached(milan.token, milan.ca), ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)}},
		resource.TestStep{
			Config: reached("expired", milan.ca), PlanOnly: true,
			ExpectError: message(`The API server refuses the credentials on leaf "milan"`, `The answer was: Unauthorized`,
				`They may have expired: renew the token or certificate that the provider block or the kubeconfig gives for this leaf.`),
		},
		resource.TestStep{ // only for a shortcut that is new this is an error
			Config: reached(milan.token, credentials(t, "rome").ca) + `
				resource "liqo_shortcut" "europe_milan" {
				  client = "europe"
				  server = "milan"
				}`,
			PlanOnly: true,
			ExpectError: message(`The API server's certificate is not trusted on leaf "milan"`,
				`…with liqo_shortcut.europe_milan,`, `…The connection failed: 127.0.0.1:…: tls: failed to verify certificate: x509: certificate signed by unknown authority`,
				"…Check `cluster_ca_certificate`, `tls_server_name` and `host`, or the kubeconfig: they may belong to another cluster."),
		},
		resource.TestStep{
			Config:           reached(milan.token, milan.ca),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
	)
}

func TestFailureForWantOfAPermissionNamesIt(t *testing.T) {
	milan := credentials(t, "milan")
	for name, test := range map[string]struct {
		verbs   []string // on GatewayServers
		message *regexp.Regexp
	}{
		"to write": {
			[]string{"get", "list", "watch"},
			message(`No permission to patch gatewayservers.networking.liqo.io on leaf "milan"`,
				`The answer was: gatewayservers.networking.liqo.io "rome" is forbidden: User "system:serviceaccount:default:…" cannot patch resource `+
					`"gatewayservers" in API group "networking.liqo.io" in the namespace "liqo-tenant-rome"`,
				`Give user "system:serviceaccount:default:…" a ClusterRole, or a Role of namespace "liqo-tenant-rome", with this rule, on this leaf:`,
				`apiGroups: ["networking.liqo.io"]`, `resources: ["gatewayservers"]`, `verbs: ["patch"]`,
				`How far it got:`, `…not done milan: GatewayServer`),
		},
		"to watch, which the caches need": {
			[]string{"get"},
			message(`No permission to … gatewayservers.networking.liqo.io on leaf "milan"`,
				`The answer was: …gatewayservers.networking.liqo.io is forbidden: User "system:serviceaccount:default:…" cannot … resource `+
					`"gatewayservers" in API group "networking.liqo.io" at the cluster scope`,
				`Give user "system:serviceaccount:default:…" a ClusterRole with this rule, on this leaf:`,
				`apiGroups: ["networking.liqo.io"]`, `resources: ["gatewayservers"]`, `verbs: ["…"]`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			limited := fmt.Sprintf(`
				provider "liqo" {
				  config_path = %q
				  clusters    = { milan = { host = %q, token = %q, cluster_ca_certificate = %q } }
				}`, lab.Kubeconfig, milan.server, limitedToken(t, "milan", test.verbs), milan.ca)
			apply(t,
				resource.TestStep{Config: limited + shortcutRomeMilan, ExpectError: test.message},
				resource.TestStep{Config: contexts(shortcutRomeMilan), ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)}},
			)
		})
	}
}
