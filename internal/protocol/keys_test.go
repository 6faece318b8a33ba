package protocol

import (
	"fmt"
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// labelled returns which of some Secrets in namespace default of a leaf have labels.
func (l *leaves) labelled(name string, secrets ...string) []string {
	l.t.Helper()
	return slices.DeleteFunc(slices.Clone(secrets), func(secret string) bool {
		var found corev1.Secret
		must(l.t, l.of(name).Get(l.t.Context(), client.ObjectKey{Namespace: "default", Name: secret}, &found))
		return len(found.Labels) == 0
	})
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
	has := func(expected ...string) {
		t.Helper()
		for _, name := range []string{"rome", "milan"} {
			if labelled := l.labelled(name, mine, other); !slices.Equal(labelled, expected) {
				t.Errorf("of %s, these Secrets have labels: %v, not %v", name, labelled, expected)
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
	p.has(romeMilan, "Connected", "status")
	has(mine)
	killed()
	has(mine)
	p.configure(keys(other))
	p.apply().does("update", romeMilan)
	p.has(romeMilan, "Connected", "status")
	has(other)
	killed()
	p.destroy()
	has()
}

// inDefault gives an object namespace default and the name that Liqo gives to what a leaf has for another one.
func inDefault[T client.Object](object T, other string) T {
	object.SetNamespace("default")
	object.SetName(other)
	return object
}

func TestAUsersSecretIsRejectedInANamespaceThatADestroyRemoves(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, between("milan", overNodePort))
	p.apply()
	keys := keysNamed(t, "my-keys")
	keys.Namespace = "liqo-tenant-rome"
	l.have("milan", keys)
	networks := l.networks()
	p.configure(between("milan", `server_gateway = { service_type = "NodePort", key_secret_name = "my-keys" }`))
	p.planFails(`Error: Secret liqo-tenant-rome/my-keys would be deleted with the shortcut on leaf "milan"`,
		"Set the namespace at this end (`client_namespace`, `server_namespace` or `namespace`)")
	l.sameNetworks(networks)
	p.configure(between("milan", overNodePort))
	p.plan().isEmpty()
	p.destroy()
}
