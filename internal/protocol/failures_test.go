package protocol

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// helpAt is the address of an entry in the troubleshooting guide, at the end of a message.
func helpAt(id string) string {
	return "Help: https://github.com/leafmesh/terraform-provider-liqo/blob/main/docs/guides/troubleshooting.md#" + id
}

func TestFailureOfCredentialsLosesNothing(t *testing.T) {
	l := leavesFor(t, topology...)
	milan := l.of("milan")
	reached := func(token, authority string) string {
		return l.listing(fmt.Sprintf("milan = { host = %q, token = %q, cluster_ca_certificate = %q }",
			milan.URL(), token, authority)) + shortcut()
	}
	p := l.project(t, reached(milan.Token, milan.Authority()))
	p.apply()

	p.configure(reached("expired", milan.Authority()))
	p.planFails(`Error: The API server refuses the credentials on leaf "milan"`, "The answer was: Unauthorized",
		"They may have expired: renew the token or certificate that the provider block or the kubeconfig gives for "+
			"this leaf.", helpAt("credentials-refused"))

	p.configure(reached(milan.Token, milan.CertificateAuthority) + named("europe_milan", "europe", "milan", ""))
	p.planFails(`Error: The API server's certificate is not trusted on leaf "milan"`,
		"with liqo_shortcut.europe_milan,", // this is an error only for a new shortcut
		"The connection failed: "+milan.Address+": tls: failed to verify certificate: "+
			"x509: certificate signed by unknown authority",
		"Check `cluster_ca_certificate`, `tls_server_name` and `host`, or the kubeconfig: they may belong to another "+
			"cluster.",
		helpAt("certificate-untrusted"))

	p.configure(reached(milan.Token, milan.Authority())).plan().isEmpty()
}

func TestFailureNamesTheMissingPermission(t *testing.T) {
	const user = "system:serviceaccount:default:limited"
	for name, test := range map[string]struct {
		refused func(*http.Request) bool
		answer  string
		message []string
	}{
		"to write": {
			to(http.MethodPatch, "/gatewayservers/rome"),
			`gatewayservers.networking.liqo.io "rome" is forbidden: User "` + user + `" cannot patch ` +
				`resource "gatewayservers" in API group "networking.liqo.io" in the namespace "liqo-tenant-rome"`,
			[]string{
				`Error: No permission to patch gatewayservers.networking.liqo.io on leaf "milan"`,
				`Give user "` + user + `" a ClusterRole, or a Role of namespace "liqo-tenant-rome", with this rule, ` +
					`on this leaf:`,
				`apiGroups: ["networking.liqo.io"] resources: ["gatewayservers"] verbs: ["patch"]`,
				"How far it got:", "not done milan: GatewayServer", helpAt("permission-missing"),
			},
		},
		"to watch, which the caches need": {
			to(http.MethodGet, "/gatewayservers"), // as a list or a watch
			`gatewayservers.networking.liqo.io is forbidden: User "` + user + `" cannot list ` +
				`resource "gatewayservers" in API group "networking.liqo.io" at the cluster scope`,
			[]string{
				`Error: No permission to list gatewayservers.networking.liqo.io on leaf "milan"`,
				`Give user "` + user + `" a ClusterRole with this rule, on this leaf:`,
				`apiGroups: ["networking.liqo.io"] resources: ["gatewayservers"] verbs: ["list"`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := leavesFor(t)
			p := l.project(t, shortcut())
			l.of("milan").refuses(test.refused, test.answer)
			p.applyFails(append(test.message, test.answer)...)
			l.of("milan").Disturb(nil)
			p.apply()
		})
	}
}

func TestFailureOfAnAPIServerDuringAndBeforeTheWork(t *testing.T) {
	l := leavesFor(t, topology...)
	milan := l.of("milan")
	failure := []string{
		`Error: The API server can't be reached on leaf "milan"`,
		"The connection failed: " + milan.Address + ":", "connect: connection refused",
		"Check that the cluster runs and that its address can be reached from here.", helpAt("api-server-unreachable"),
	}
	p := l.project(t, shortcut())
	stopped := milan.stopsAt(http.MethodPatch, "/publickeies/rome")
	p.runsOut(stopped, append(failure, "with "+romeMilan+",", "How far it got:", "done milan: GatewayServer",
		"not done milan: PublicKey of the other gateway")...).says("Warning: The resource is tainted")

	l.writes() // only later ones
	another := l.project(t, named("europe_milan", "europe", "milan", ""))
	another.applyFails(append(failure, "with liqo_shortcut.europe_milan,")...).
		says(`Warning: The API server can't be reached on leaf "milan"`, "The plan continues without this leaf.")
	l.writesNothing()
	another.isNotInTheState()

	milan.Start()
	l.loseLeases("milan") // who lost the API server could not release it, and whoever comes next waits for that
	p.apply().does("replace", romeMilan)
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

// forced is a shortcut that gives up a leaf which is gone.
var forced = shortcut("abandon_lost_cluster = true")

// isDestroyedWithoutMilan destroys a shortcut that has given up Milan, where all its objects stay. Once Milan is back,
// they are imported and removed.
func (p *project) isDestroyedWithoutMilan(comesBack func()) {
	p.t.Helper()
	p.destroy().says("Warning: Only one leaf was cleaned", `Cluster "milan" (milan) is gone.`)
	for what := range p.leaves.requested() {
		if strings.HasPrefix(what, "rome ") {
			p.t.Errorf("the destroy has left the %s", what)
		}
	}
	comesBack()
	imported := p.leaves.project(p.t, shortcut())
	imported.imports(romeMilan, "rome/milan")
	imported.destroy()
	p.leaves.areClean()
}

func TestALostLeafBlocksNothingElseAndIsGivenUpOnlyByForce(t *testing.T) {
	const romeEntry = "rome = { config_path = var.kubeconfig, config_context = \"rome\" }\n"
	for name, test := range map[string]struct{ milan, says string }{
		"its name": {"", "Unknown leaf milan"},
		"its Liqo": {
			`milan = { config_path = var.kubeconfig, config_context = "milan", liqo_namespace = "default" }`,
			`No Liqo in namespace "default" on leaf "milan"`,
		},
		"its address": {
			`milan = { config_path = var.kubeconfig, config_context = "milan", cluster_ca_certificate = var.other_authority }`,
			`The API server's certificate is not trusted on leaf "milan"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := leavesFor(t)
			p := l.project(t, shortcut())
			p.set("kubeconfig", cty.StringVal(l.kubeconfig))
			p.set("other_authority", cty.StringVal(l.of("rome").CertificateAuthority))
			p.apply()
			before := p.value(romeMilan)

			lost := "provider \"liqo\" {\n  clusters = {\n" + romeEntry + test.milan + "\n}\n}\n"
			p.configure(lost + shortcut() + endAt(turinsKey, "rome", "turin", keyOfTurin))
			p.applyOnce().
				says("Warning: "+test.says, "The shortcut could not be refreshed. Its state stays unchanged.").
				does("create", turinsKey).does("no-op", romeMilan)
			p.has(romeMilan, before)
			p.configure(lost+shortcut()).applyOnce().does("delete", turinsKey)
			p.destroyFails("Error: "+test.says, "If this leaf is gone for good, apply `abandon_lost_cluster = true`, then "+
				"destroy")

			p.configure(lost+forced).applyOnce().does("update", romeMilan).says("Warning: " + test.says)
			p.isDestroyedWithoutMilan(func() {})
		})
	}
}

func TestADestroyCleansTheOtherLeafIfOneIsGone(t *testing.T) {
	l, p := applied(t, forced)
	l.of("milan").Stop()
	p.isDestroyedWithoutMilan(l.of("milan").Start)
}

// losesMilan lets a project give up Milan, which does not answer any more.
func (p *project) losesMilan() {
	p.t.Helper()
	p.leaves.of("milan").Stop()
	p.configure(forced).applyOnce().does("update", romeMilan).
		says(`Warning: The API server can't be reached on leaf "milan"`,
			"The shortcut could not be refreshed. Its state stays unchanged.")
	p.plan().isEmpty()
}

func TestAnImportedShortcutGivesUpALostLeafBeforeItsFirstUpdate(t *testing.T) {
	for name, imports := range map[string]func(*project){
		"imported with a command": func(p *project) { p.imports(romeMilan, "rome/milan") },
		"imported with a block": func(p *project) {
			p.configure(shortcut() + "\nimport {\nto = liqo_shortcut.rome_milan\nid = \"rome/milan\"\n}").apply()
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := joinedByHand(t)
			p := l.project(t, shortcut())
			imports(p)
			p.losesMilan()
			p.isDestroyedWithoutMilan(l.of("milan").Start)
		})
	}
}

func TestAnImportedShortcutIsMarkedAfterALostLeafIsBack(t *testing.T) {
	l, p := imported(t)
	before := l.networks()
	p.losesMilan()
	l.of("milan").Start()
	p.plan().isEmpty()
	l.sameNetworks(before) // without a change, it stays the other one's
	p.configure(shortcut("mtu = 1400")).apply().does("update", romeMilan)
	p.isMarked()
}

func TestAForcedDestroyGivesUpOneLeafNotBoth(t *testing.T) {
	const neither = "Neither leaf can be cleaned."
	l, p := applied(t, forced, topology...)
	// One has no Liqo, and the other one is no neighbor of Rome's.
	p.configure(l.known(map[string]string{"rome": "venice", "milan": "europe"}) + forced)
	p.destroyFails(neither, "`terraform state rm`")
	p.applyFails(neither)
	p.has(romeMilan, "rome/milan", "id")
	p.configure(forced)
	p.destroy()
}

func TestALeafToWhichNothingWasSentIsNotGivenUp(t *testing.T) {
	l, p := applied(t, forced)
	before := l.requested()
	reachedAt := func(host string) string {
		return l.listing(fmt.Sprintf(`milan = { config_context = "milan", host = %q }`, host)) + forced
	}
	p.configure(reachedAt("https://milan.invalid:6443"))
	const says = `Error: The API server's name is not resolved on leaf "milan"`
	p.planFails(says, "then it counts as lost")
	p.destroyFails(says)
	if after := l.requested(); len(after) != len(before) {
		t.Errorf("left are %v", after)
	}
	p.configure(reachedAt(l.of("milan").URL())).plan().isEmpty()
}

func TestAKubeconfigThatTheApplyWritesIsAWarningBeforeIt(t *testing.T) {
	l := leavesFor(t)
	path := filepath.Join(t.TempDir(), "milan.yaml")
	p := l.project(t, l.listing(fmt.Sprintf(`milan = { config_path = %q, config_context = "milan" }`, path))+shortcut())
	const says = "If this apply writes the file, the leaf is checked then."
	p.plan().does("create", romeMilan).says(`Warning: Credentials can't be used on leaf "milan"`, says)
	p.applyFails(`Error: Credentials can't be used on leaf "milan"`)
	must(t, os.Link(l.kubeconfig, path))
	p.apply()
	must(t, os.Remove(path))
	p.plan().isEmpty().says("Warning: Credentials can't be used", says, "Its state stays unchanged.")
	p.destroyFails(`Error: Credentials can't be used on leaf "milan"`)
}
