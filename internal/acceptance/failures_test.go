package acceptance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"

	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

// message matches a diagnostic: its summary, then the paragraphs of its detail, regardless of line breaks. "…" stands
// for text that differs between runs.
func message(headline string, text ...string) *regexp.Regexp {
	pattern := words("Error: "+headline) + `\s.*?`
	for i, paragraph := range text {
		if i > 0 {
			pattern += `\s+` // there is no other text between two paragraphs
		}
		pattern += words(paragraph)
	}
	return regexp.MustCompile(`(?s)` + pattern)
}

func words(sentence string) string {
	fields := strings.Fields(sentence)
	for i, field := range fields {
		fields[i] = strings.ReplaceAll(regexp.QuoteMeta(field), "…", `.*?`)
	}
	return strings.Join(fields, `\s+`)
}

// helpAt is the end of a message: the address of the entry in the troubleshooting guide.
func helpAt(id string) string {
	return "…Help: https://github.com/leafmesh/terraform-provider-liqo/blob/main/docs/guides/troubleshooting.md#" + id
}

// ample is the timeout of an operation that cannot end. It is enough for everything that can be done, on any machine,
// while other tests run.
const ample = "30s"

// limited returns a shortcut with this timeout.
func (l *Lab) limited(serviceType string) string {
	return l.contexts(fmt.Sprintf(`
		resource "liqo_shortcut" "rome_milan" {
		  client         = "rome"
		  server         = "milan"
		  server_gateway = { service_type = %q }
		  timeouts       = { create = %q }
		}`, serviceType, ample))
}

func TestAccFailureToConnectIsExplainedByWhatTheLeavesShow(t *testing.T) {
	onClusters(t)
	for name, test := range map[string]struct {
		broken, repaired string // settings of Milan
		serviceType      string
		message          *regexp.Regexp
	}{
		"no address for the Service": {
			"load-balancer=false", "load-balancer=true", "LoadBalancer",
			message(`The load balancer gives no address on leaf "milan"`,
				// before the pod is ready, also for its keys
				`Time ran out while waiting for …the gateway's Service to get an address on "milan".`,
				`Service liqo-tenant-rome/gw-rome is of type LoadBalancer and has no address. No event of the `+
					`Service says why.`,
				"Check that leaf \"milan\" has a load balancer and that it works. If it has none, set `service_type = "+
					"\"NodePort\"` in `server_gateway`.",
				`How far it got:`, `…not done milan: address of the gateway (…s)`, `…not begun rome: GatewayClient`,
				helpAt("load-balancer-without-address")),
		},
		"no room for the pod": {
			"schedulable=false", "schedulable=true", "LoadBalancer",
			message(`The gateway's pod can't be scheduled on leaf "milan"`,
				`Time ran out while waiting for … on "milan".`,
				`The scheduler reports for Pod liqo-tenant-rome/gw-rome-…: 0/1 nodes are available: `+
					`1 node(s) were unschedulable. preemption: 0/1 nodes are available: `+
					`1 Preemption is not helpful for scheduling.`,
				`Add a node with free capacity to the leaf, or request less in the gateway's template.`,
				`How far it got:`, helpAt("gateway-not-scheduled")),
		},
		"no image": {
			"pull-image=false", "pull-image=true", "LoadBalancer",
			message(`The gateway's image can't be pulled on leaf "milan"`,
				`Time ran out while waiting for … on "milan".`,
				`The kubelet can't pull image ghcr.io/liqotech/… of Pod liqo-tenant-rome/gw-rome-…, container `+
					`…: Back-off `+
					`pulling image "…": `+
					`ErrImagePull: …: not found.`,
				`Check that the nodes of leaf "milan" can reach this registry and may pull this image.`,
				`How far it got:`, helpAt("gateway-image-not-pulled")),
		},
		"no controllers of Liqo": {
			"liqo=stopped", "liqo=running", "NodePort",
			message(`Liqo's controllers do not run on leaf "milan"`,
				`Time ran out while waiting for Liqo to create the gateway's keys, for Liqo to remap the other `+
					`leaf's address ranges and for the `+
					`gateway's Service to get an address on "milan".`,
				`Liqo has not reacted to Configuration liqo-tenant-rome/rome and GatewayServer `+
					`liqo-tenant-rome/rome yet.`,
				`Deployment liqo/liqo-controller-manager, which runs Liqo's controllers, is scaled to 0 replicas.`,
				`Start Liqo's controllers on leaf "milan" again. To see why they do not run:`,
				`kubectl -n liqo describe deployment liqo-controller-manager`,
				`How far it got:`, `…done milan: GatewayServer`, `…not done milan: key of the gateway`, helpAt("controllers-down")),
		},
		"no packets": {
			"connect=false", "connect=true", "LoadBalancer",
			message(`The tunnel from "rome" to "milan" does not come up`,
				`Time ran out while waiting for the tunnel to come up on "rome" and "milan".`,
				`Both gateways are in place. The gateway of "rome" dials 172.18.…, UDP port 51840, and gets no answer.`,
				`On leaf "rome", Connection liqo-tenant-milan/gw-milan …. On leaf "milan", Connection `+
					`liqo-tenant-rome/gw-rome ….`,
				`Check that the nodes of "rome" can reach 172.18.…, UDP port 51840, `+
					`and that no firewall or security group at either end drops UDP. `+
					"If they reach \"milan\" at another address, set `connect_address` and `connect_port` in "+
					"`client_gateway`.",
				`How far it got:`, helpAt("tunnel-not-connected")),
		},
		"a slow start": {
			"gateway-ready-after=1h", "gateway-ready-after=0s", "LoadBalancer",
			message(`The gateway's pod is not ready on leaf "milan"`,
				`Time ran out while waiting for … on "milan".`,
				`Pod liqo-tenant-rome/gw-rome-… is in phase Pending and not ready.`,
				"If the pod is only slow, allow more time in `timeouts` and apply again. Otherwise, see what it does:",
				`kubectl -n liqo-tenant-rome describe pod gw-rome-…`,
				`How far it got:`,
				`…done rome: read its address ranges`, `…done milan: GatewayServer`, `…done milan: address of `+
					`the gateway`,
				`…done rome: GatewayClient`,
				// Liqo does not always share the key of a pod that is not ready
				`…not … rome: connection`, `…not … milan: connection`, helpAt("gateway-pod-not-ready")),
		},
	} {
		t.Run(name, func(t *testing.T) {
			lab := borrowLab(t)
			t.Cleanup(func() { lab.command(t, "set", "milan", test.repaired) })
			lab.command(t, "set", "milan", test.broken)
			steps := []resource.TestStep{{Config: lab.limited(test.serviceType), ExpectError: test.message}}
			if test.repaired == "liqo=running" { // without Liqo, nothing can be removed
				repair := func() { lab.command(t, "set", "milan", test.repaired) }
				steps = append(steps, resource.TestStep{PreConfig: repair, Config: lab.limited(test.serviceType), Destroy: true})
			}
			apply(t, steps...)
		})
	}
}

func TestAccFailureOfAPodThatPodSecurityRejectsHasItsReason(t *testing.T) {
	lab := borrowLab(t)
	namespace := tenantnamespace.NewManager(nil, nil).ForgeNamespace("rome", nil)
	namespace.Labels[owner.ManagedByLabel] = owner.ManagedBy // so that the provider removes it
	namespace.Labels["pod-security.kubernetes.io/enforce"] = "restricted"
	lab.have(t, "milan", namespace)
	apply(t, resource.TestStep{
		Config: lab.limited("LoadBalancer"),
		ExpectError: message(`The gateway's pod is refused on leaf "milan"`,
			`Time ran out while waiting for … on "milan".`,
			`Deployment liqo-tenant-rome/gw-rome can't create its pod: pods "gw-rome-…" is forbidden: `+
				`violates PodSecurity "restricted:latest": privileged (…`,
			`…A gateway's pod is privileged and forwards packets. The leaf's policies, quotas and Pod Security labels `+
				`must allow this in namespace liqo-tenant-rome.`,
			`How far it got:`, helpAt("gateway-pod-refused")),
	})
}

func TestAccFailureToRemoveIsExplainedByWhatHoldsTheObjects(t *testing.T) {
	lab := borrowLab(t)
	const impatient = `
		resource "liqo_shortcut" "rome_milan" {
		  client         = "rome"
		  server         = "milan"
		  server_gateway = { service_type = "NodePort" }
		  timeouts       = { delete = "` + ample + `" }
		}`
	t.Cleanup(func() { lab.command(t, "set", "milan", "liqo=running") })
	apply(t,
		resource.TestStep{Config: lab.contexts(impatient)},
		resource.TestStep{
			PreConfig: func() { lab.command(t, "set", "milan", "liqo=stopped") },
			Config:    lab.contexts(impatient), Destroy: true,
			ExpectError: message(`Liqo's controllers do not run on `+
				`leaf "milan"`, // Kubernetes has emptied the tenant namespace, the Deployment with it
				`Time ran out while waiting for Network liqo-tenant-rome/rome-… to be deleted and for `+
					`WgGatewayServer liqo-tenant-rome/rome to be deleted on "milan".`,
				`Network liqo-tenant-rome/rome-… still exists: it waits for the finalizer ….`,
				`Deployment liqo/liqo-controller-manager, which runs Liqo's controllers, is scaled to 0 replicas.`,
				`WgGatewayServer liqo-tenant-rome/rome still exists: it waits for the finalizer ….`,
				`Start Liqo's controllers on leaf "milan" again.`, helpAt("controllers-down")),
		},
		resource.TestStep{
			PreConfig: func() { lab.command(t, "set", "milan", "liqo=running") },
			Config:    lab.contexts(shortcutRomeMilan), ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
	)
}

func TestAccFailureOfAnAPIServerDuringAndBeforeTheWork(t *testing.T) {
	lab := borrowTopology(t)
	t.Cleanup(func() {
		lab.command(t, "start-apiserver", "milan")
		lab.command(t, "set", "milan", "connect=true")
	})
	const (
		during = `
			resource "liqo_shortcut" "rome_milan" {
			  client   = "rome"
			  server   = "milan"
			  timeouts = { create = "` + ample + `" }
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
				inPlace := lab.connectionAppears(t, "milan")
				go func() {
					defer close(stopped)
					<-inPlace // now the apply waits only for the tunnel
					lab.command(t, "stop-apiserver", "milan")
				}()
			},
			Config: lab.contexts(during),
			ExpectError: message(headline,
				`Time ran out while waiting for the tunnel to come up on "milan".`,
				`The connection failed: 127.0.0.1:…: connect: connection refused`, advice, `How far it got:`,
				helpAt("api-server-unreachable")),
		},
		resource.TestStep{
			PreConfig: func() { <-stopped },
			Config:    lab.contexts(before + during),
			ExpectError: message(
				headline, `…with liqo_shortcut.europe_milan,`, `…The connection failed: 127.0.0.1:…: connect: `+
					`connection refused`,
				advice,
			),
		},
		resource.TestStep{
			PreConfig: func() {
				lab.command(t, "start-apiserver", "milan")
				lab.command(t, "set", "milan", "connect=true")
			},
			// The process that lost the API server could not release its Lease there. So this step waits until the Lease has
			// expired.
			Config:            lab.contexts(strings.Replace(during, ample, "5m", 1)),
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
	)
}

func TestAccFailureOfCredentialsLosesNothing(t *testing.T) {
	lab := borrowTopology(t)
	milan := lab.credentials(t, "milan")
	reached := func(token, ca string) string {
		return lab.listing("milan = "+leaf{milan.server, ca, token}.entry()) + shortcutRomeMilan
	}
	apply(t,
		resource.TestStep{
			Config: reached(milan.token, milan.ca), ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
		resource.TestStep{
			Config: reached("expired", milan.ca), PlanOnly: true,
			ExpectError: message(`The API server refuses the credentials on leaf "milan"`, `The answer was: `+
				`Unauthorized`,
				`They may have expired: renew the token or certificate that the provider block or the kubeconfig `+
					`gives for `+
					`this leaf.`, helpAt("credentials-refused")),
		},
		resource.TestStep{ // this is an error only for a new shortcut
			Config: reached(milan.token, lab.credentials(t, "rome").ca) + `
				resource "liqo_shortcut" "europe_milan" {
				  client = "europe"
				  server = "milan"
				}`,
			PlanOnly: true,
			ExpectError: message(`The API server's certificate is not trusted on leaf "milan"`,
				`…with liqo_shortcut.europe_milan,`,
				`…The connection failed: 127.0.0.1:…: tls: failed to verify certificate: x509: certificate signed `+
					`by unknown `+
					`authority`,
				"…Check `cluster_ca_certificate`, `tls_server_name` and `host`, or the kubeconfig: they may belong "+
					"to another "+
					"cluster.", helpAt("certificate-untrusted")),
		},
		resource.TestStep{
			Config:           reached(milan.token, milan.ca),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
	)
}

func TestAccFailureNamesTheMissingPermission(t *testing.T) {
	lab := borrowLab(t)
	milan := lab.credentials(t, "milan")
	for name, test := range map[string]struct {
		verbs   []string // on GatewayServers
		message *regexp.Regexp
	}{
		"to write": {
			[]string{"get", "list", "watch"},
			message(`No permission to patch gatewayservers.networking.liqo.io on leaf "milan"`,
				`The answer was: gatewayservers.networking.liqo.io "rome" is forbidden: User `+
					`"system:serviceaccount:default:…" cannot patch resource `+
					`"gatewayservers" in API group "networking.liqo.io" in the namespace "liqo-tenant-rome"`,
				`Give user "system:serviceaccount:default:…" a ClusterRole, or a Role of namespace `+
					`"liqo-tenant-rome", with `+
					`this rule, on this leaf:`,
				`apiGroups: ["networking.liqo.io"]`, `resources: ["gatewayservers"]`, `verbs: ["patch"]`,
				`How far it got:`, `…not done milan: GatewayServer`, helpAt("permission-missing")),
		},
		"to watch, which the caches need": {
			[]string{"get"},
			message(`No permission to … gatewayservers.networking.liqo.io on leaf "milan"`,
				`The answer was: …gatewayservers.networking.liqo.io is forbidden: User `+
					`"system:serviceaccount:default:…" `+
					`cannot … resource `+
					`"gatewayservers" in API group "networking.liqo.io" at the cluster scope`,
				`Give user "system:serviceaccount:default:…" a ClusterRole with this rule, on this leaf:`,
				`apiGroups: ["networking.liqo.io"]`, `resources: ["gatewayservers"]`, `verbs: ["…"]`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			lab.keepsInventory(t)
			limited := lab.listing("milan = " + leaf{milan.server, milan.ca, lab.limitedToken(t, "milan", test.verbs)}.entry())
			apply(t,
				resource.TestStep{Config: limited + shortcutRomeMilan, ExpectError: test.message},
				resource.TestStep{
					Config: lab.contexts(shortcutRomeMilan), ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
				},
			)
		})
	}
}

func TestAccAWriteThatIsUnderWayWhenTheOtherLeafFailsIsRecorded(t *testing.T) {
	lab := borrowLab(t)
	leaves := lab.reachedAsAdministrator(t, "rome", "milan")
	toRome, rome := proxyFor(t, leaves["rome"])
	toMilan, milan := proxyFor(t, leaves["milan"])
	creates, underWay, arrived := make(chan struct{}), make(chan struct{}), make(chan struct{})
	begin, send := sync.OnceFunc(func() { close(creates) }), sync.OnceFunc(func() { close(underWay) })
	arrive := sync.OnceFunc(func() { close(arrived) })
	toRome.disturb(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/configurations/") {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			send()
			// Then it arrives, whether or not anybody still waits for the answer.
			<-time.After(2 * time.Second)
			defer arrive()
			r.Body = io.NopCloser(bytes.NewReader(body))
			ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 10*time.Second)
			t.Cleanup(cancel)
			*r = *r.WithContext(ctx)
		}
		return false
	})
	toMilan.disturb(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/leases") {
			begin()
		}
		if strings.HasSuffix(r.URL.Path, "/namespaces/nowhere") {
			select {
			case <-creates:
				<-underWay
			default: // the plan only warns
			}
		}
		return false
	})
	provider := lab.listing("rome = " + rome.entry() + "\nmilan = " + milan.entry())
	apply(t,
		// Without a tenant namespace, the Configuration is the only trace.
		resource.TestStep{
			Config: provider + `
				resource "liqo_shortcut" "rome_milan" {
				  client           = "rome"
				  server           = "milan"
				  client_namespace = "default"
				  server_namespace = "nowhere"
				  server_gateway   = { service_type = "NodePort" }
				}`,
			ExpectError: message(`Namespace nowhere does not exist on leaf "milan"`),
		},
		resource.TestStep{PreConfig: func() { <-arrived }, Config: provider}, // removes what the state has
	)
}
