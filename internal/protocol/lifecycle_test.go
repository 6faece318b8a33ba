package protocol

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestAShortcutIsReplacedOnDemand(t *testing.T) {
	l, p := applied(t, shortcut())
	before := l.requested()
	p.replacing(romeMilan)
	p.apply().does("replace", romeMilan)
	l.areReplaced(before)
}

// areReplaced fails the test if one of these objects still exists.
func (l *leaves) areReplaced(before map[string]metav1.PartialObjectMetadata) {
	l.t.Helper()
	for what, one := range l.requested() {
		if one.UID == before[what].UID {
			l.t.Errorf("the %s was not replaced", what)
		}
	}
}

func TestADestroyThatReachesOnlyOneLeafKeepsTheState(t *testing.T) {
	l, p := applied(t, shortcut())
	l.of("milan").Stop()
	p.destroyFails(`Error: The API server can't be reached on leaf "milan"`)
	p.has(romeMilan, "rome/milan", "id")
	l.of("milan").Start()
	p.destroy()
}

func TestAPlanWarnsOfAShortcutThatAnotherProviderBlockHasMade(t *testing.T) {
	const two = "liqo_shortcut.two"
	l := leavesFor(t)
	one := fmt.Sprintf(`
		provider "liqo" {
		  config_path = %[1]q
		}
		provider "liqo" {
		  alias       = "other"
		  config_path = %[1]q
		}`, l.kubeconfig) + shortcut()
	p := l.project(t, one)
	p.apply()
	p.configure(one + named("two", "rome", "milan", overNodePort+"\nprovider = liqo.other"))
	p.plan().does("no-op", romeMilan).does("create", two).plans(two, unknown, "status").
		says(`Warning: A shortcut with`, "exists already on leaf", "with "+two+",")
}

func TestAnUnknownSettingMayTurnOutToBeNull(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, `
		variable "node_port" { default = null }
		`+between("milan", `server_gateway = { node_port = var.node_port, load_balancer_ip = var.load_balancer_ip }`))
	p.set("load_balancer_ip", cty.StringVal("192.0.2.10"))
	p.validate()
	p.plan().does("create", romeMilan)
	p.set("node_port", cty.NumberIntVal(31020)).planFails("Error: node_port without NodePort")
}

func TestAnotherClusterIsAReplacementThatKeepsConfiguredValues(t *testing.T) {
	l := leavesFor(t, topology...)
	l.have("rome", namespaceNamed("shortcuts"))
	const settings = overNodePort + `
		client_namespace = "shortcuts"
		client_network   = { pod_cidrs = ["10.202.64.0/18"] }`
	p := l.project(t, between("milan", settings))
	p.apply()

	p.configure(between("europe", settings))
	l.of("rome").Stop()
	// The plan continues without the leaf that does not answer.
	p.plan().does("replace", romeMilan).
		says("Warning:", `leaf "rome"`, "connection refused", "with "+romeMilan+",")
	l.of("rome").Start()
	p.apply().does("replace", romeMilan).
		says(`The resource is for cluster "milan"`, `but the name "europe" refers to cluster "europe"`,
			"So the plan replaces the resource.")
	p.has(romeMilan, "rome/europe", "id")
	p.has(romeMilan, "shortcuts", "client_namespace")
	p.has(romeMilan, `["10.202.64.0/18"]`, "client_network", "pod_cidrs")
	p.destroy()
}

func TestAnUpdateWithNothingToChangeOnTheLeavesWritesNothingThere(t *testing.T) {
	l, p := applied(t, shortcut())
	l.writes() // only later ones
	p.apply()
	l.writesNothing()
	var settings []string
	for _, more := range []string{
		"client_gateway = {}", `timeouts = { create = "3m" }`, "wait_for_connection = false", `on_destroy = "disconnect"`,
	} {
		t.Log("with", more)
		settings = append(settings, more)
		p.configure(shortcut(settings...))
		l.writes() // only later ones
		p.apply().does("update", romeMilan)
		p.has(romeMilan, "Connected", "status")
		l.writesNothing()
	}
}

func TestConfigurationsCanOutliveTheShortcut(t *testing.T) {
	l, p := applied(t, shortcut(`on_destroy = "disconnect"`))
	before := l.requested()

	p.configure("").apply().does("delete", romeMilan)
	left := l.requested()
	names := slices.Sorted(maps.Keys(left))
	if changes := differing(before, left); changes != "" ||
		!slices.Equal(names, []string{"milan Configuration", "rome Configuration"}) {
		t.Errorf("%q are left, and %q have changed", names, changes)
	}

	p.configure(shortcut()).apply().does("create", romeMilan)
	const created = "new milan GatewayServer, new milan PublicKey, new rome GatewayClient, new rome PublicKey"
	if changes := differing(left, l.requested()); changes != created {
		t.Errorf("a new shortcut has changed %q", changes)
	}
}

func TestAUsersSecretStaysUnchangedAfterItsGatewayIsGone(t *testing.T) {
	const mine, other = "my-keys", "other-keys"
	l := leavesFor(t)
	for _, name := range []string{"rome", "milan"} {
		l.have(name, keysNamed(t, mine))
		l.have(name, keysNamed(t, other))
	}
	keys := func(name string) string {
		return between("milan", fmt.Sprintf(`
			server_gateway   = { service_type = "NodePort", key_secret_name = %q }
			client_gateway   = { key_secret_name = %q }
			client_namespace = "default"
			server_namespace = "default"`, name, name))
	}
	// labelled fails the test unless this is the Secret that has labels, at both ends.
	labelled := func(expected string) {
		t.Helper()
		for _, name := range []string{"rome", "milan"} {
			for _, secret := range []string{mine, other} {
				labels := read(l, name, inDefault(&corev1.Secret{}, secret)).Labels
				if has := len(labels) > 0; has != (secret == expected) {
					t.Errorf("Secret %s of %s has the labels %v", secret, name, labels)
				}
			}
		}
	}
	// This is the state after an apply or a destroy that was killed after it had removed the gateways.
	killed := func() {
		t.Helper()
		l.lose("rome", inDefault(&networkingv1beta1.GatewayClient{}, "milan"))
		l.lose("milan", inDefault(&networkingv1beta1.GatewayServer{}, "rome"))
	}
	p := l.project(t, keys(mine))
	p.apply()
	labelled(mine)
	killed()
	labelled(mine)
	p.configure(keys(other)).apply().does("update", romeMilan)
	labelled(other)
	killed()
	p.destroy()
	labelled("")
}

// inDefault gives an object namespace default and a name.
func inDefault[T client.Object](object T, name string) T {
	object.SetNamespace("default")
	object.SetName(name)
	return object
}

func TestAUsersSecretIsRejectedInANamespaceThatADestroyRemoves(t *testing.T) {
	l, p := applied(t, shortcut())
	keys := keysNamed(t, "my-keys")
	keys.Namespace = "liqo-tenant-rome"
	l.have("milan", keys)
	networks := l.networks()
	p.configure(between("milan", `server_gateway = { service_type = "NodePort", key_secret_name = "my-keys" }`))
	p.planFails(`Error: Secret liqo-tenant-rome/my-keys would be deleted with the shortcut on leaf "milan"`,
		"Set the namespace at this end (`client_namespace`, `server_namespace` or `namespace`)")
	l.sameNetworks(networks)
	p.configure(shortcut()).destroy()
}
