package protocol

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// helpAt is the address of an entry in the troubleshooting guide, at the end of a message.
func helpAt(id string) string {
	return "Help: https://github.com/leafmesh/terraform-provider-liqo/blob/main/docs/guides/troubleshooting.md#" + id
}

func TestFailureOfCredentialsLosesNothing(t *testing.T) {
	l := leavesFor(t, topology...)
	milan := l.of("milan")
	reached := func(token, authority string) string {
		return fmt.Sprintf(`
			provider "liqo" {
			  config_path = %q
			  clusters = {
			    milan = { host = %q, token = %q, cluster_ca_certificate = %q }
			  }
			}
			`, l.kubeconfig, milan.URL(), token, authority) + between("milan", overNodePort)
	}
	p := l.project(t, reached(milan.Token, milan.Authority()))
	p.apply()

	p.configure(reached("expired", milan.Authority()))
	p.planFails(`Error: The API server refuses the credentials on leaf "milan"`, "The answer was: Unauthorized",
		"They may have expired: renew the token or certificate that the provider block or the kubeconfig gives for this "+
			"leaf.",
		helpAt("credentials-refused"))

	p.configure(reached(milan.Token, milan.CertificateAuthority) + `
		resource "liqo_shortcut" "europe_milan" {
		  client = "europe"
		  server = "milan"
		}`)
	p.planFails(`Error: The API server's certificate is not trusted on leaf "milan"`,
		"with liqo_shortcut.europe_milan,", // this is an error only for a new shortcut
		"The connection failed: "+milan.Address+": tls: failed to verify certificate: "+
			"x509: certificate signed by unknown authority",
		"Check `cluster_ca_certificate`, `tls_server_name` and `host`, or the kubeconfig: they may belong to another "+
			"cluster.",
		helpAt("certificate-untrusted"))

	p.configure(reached(milan.Token, milan.Authority()))
	p.plan().isEmpty()
}

func TestFailureNamesTheMissingPermission(t *testing.T) {
	const user = "system:serviceaccount:default:limited"
	for name, test := range map[string]struct {
		allowed []string // verbs on GatewayServers
		message []string
	}{
		"to write": {
			[]string{"get", "list", "watch"},
			[]string{
				`Error: No permission to patch gatewayservers.networking.liqo.io on leaf "milan"`,
				`The answer was: gatewayservers.networking.liqo.io "rome" is forbidden: User "` + user + `" cannot patch ` +
					`resource "gatewayservers" in API group "networking.liqo.io" in the namespace "liqo-tenant-rome"`,
				`Give user "` + user + `" a ClusterRole, or a Role of namespace "liqo-tenant-rome", with this rule, ` +
					`on this leaf:`,
				`apiGroups: ["networking.liqo.io"] resources: ["gatewayservers"] verbs: ["patch"]`,
				"How far it got:", "not done milan: GatewayServer", helpAt("permission-missing"),
			},
		},
		"to watch, which the caches need": {
			[]string{"get"},
			[]string{
				"Error: No permission to ", ` gatewayservers.networking.liqo.io on leaf "milan"`,
				`gatewayservers.networking.liqo.io is forbidden: User "` + user + `" cannot `,
				` resource "gatewayservers" in API group "networking.liqo.io" at the cluster scope`,
				`Give user "` + user + `" a ClusterRole with this rule, on this leaf:`,
				`apiGroups: ["networking.liqo.io"] resources: ["gatewayservers"] verbs: [`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := leavesFor(t)
			p := l.project(t, between("milan", overNodePort))
			l.of("milan").Disturb(func(w http.ResponseWriter, r *http.Request) bool {
				verb, where, name, concerned := onGatewayServers(r)
				if !concerned || slices.Contains(test.allowed, verb) {
					return false
				}
				clustertest.Refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden, fmt.Sprintf(
					`gatewayservers.networking.liqo.io%s is forbidden: User %q cannot %s resource "gatewayservers" `+
						`in API group "networking.liqo.io" %s`, name, user, verb, where))
				return true
			})
			p.applyFails(test.message...)
			l.of("milan").Disturb(nil)
			p.apply()
			p.has(romeMilan, "Connected", "status")
		})
	}
}

// onGatewayServers returns what a request wants to do with GatewayServers, and how an API server calls where and which.
func onGatewayServers(r *http.Request) (verb, where, name string, concerned bool) {
	before, after, concerned := strings.Cut(r.URL.Path, "/gatewayservers")
	verb, where = strings.ToLower(r.Method), "at the cluster scope"
	if _, namespace, ok := strings.Cut(before, "/namespaces/"); ok {
		where = fmt.Sprintf("in the namespace %q", namespace)
	}
	switch {
	case r.URL.Query().Get("watch") != "":
		verb = "watch"
	case verb == "get" && after == "":
		verb = "list"
	}
	if after != "" {
		name = fmt.Sprintf(" %q", strings.TrimPrefix(after, "/"))
	}
	return verb, where, name, concerned
}

func TestFailureOfAnAPIServerDuringAndBeforeTheWork(t *testing.T) {
	l := leavesFor(t, topology...)
	milan := l.of("milan")
	failure := []string{
		`Error: The API server can't be reached on leaf "milan"`,
		"The connection failed: " + milan.Address + ":", "connect: connection refused",
		"Check that the cluster runs and that its address can be reached from here.", helpAt("api-server-unreachable"),
	}
	p := l.project(t, between("milan", overNodePort))
	stopped := milan.stopsAt(http.MethodPatch, "/publickeies/rome")
	during := p.runsOut(stopped, append(failure, "with "+romeMilan+",", "How far it got:", "done milan: GatewayServer",
		"not done milan: PublicKey of the other gateway")...)
	during.says("Warning: The resource is tainted")

	l.writes() // only later ones
	another := l.project(t, `
		resource "liqo_shortcut" "europe_milan" {
		  client = "europe"
		  server = "milan"
		}`)
	before := another.applyFails(append(failure, "with liqo_shortcut.europe_milan,")...)
	before.says(`Warning: The API server can't be reached on leaf "milan"`, "The plan continues without this leaf.")
	if written := l.writes(); len(written) > 0 || len(another.state) > 0 {
		t.Errorf("without one of its leaves, the provider has sent %v, and the state has %v", written, another.state)
	}

	milan.Start()
	l.loseLeases("milan") // who lost the API server could not release it, and whoever comes next waits for that
	p.apply().does("replace", romeMilan)
	p.has(romeMilan, "Connected", "status")
}

// stopsAt stops the leaf when it gets a request. It returns a channel that is closed when the leaf does not answer any
// more.
func (p *leaf) stopsAt(method, path string) <-chan struct{} {
	stopped := make(chan struct{})
	stop := sync.OnceFunc(func() {
		p.Disturb(nil)
		go func() {
			defer close(stopped)
			p.Stop()
		}()
	})
	p.Disturb(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != method || !strings.HasSuffix(r.URL.Path, path) {
			return false
		}
		stop()
		<-r.Context().Done() // nobody gets an answer
		return true
	})
	return stopped
}

// gets returns a channel that is closed when the leaf has answered such a request.
func (p *leaf) gets(method, path string) <-chan struct{} {
	answered := make(chan struct{})
	happens := sync.OnceFunc(func() { close(answered) })
	p.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		p.Forward.ServeHTTP(w, r)
		if r.Method == method && strings.HasSuffix(r.URL.Path, path) {
			happens()
		}
		return true
	})
	return answered
}

// loseLeases deletes the provider's Leases on a leaf.
func (l *leaves) loseLeases(name string) {
	l.t.Helper()
	var leases coordinationv1.LeaseList
	must(l.t, l.of(name).List(l.t.Context(), &leases, client.InNamespace("liqo")))
	for i := range leases.Items {
		l.lose(name, &leases.Items[i])
	}
}
