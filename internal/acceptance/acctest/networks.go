package acctest

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Damage is a change of a shortcut outside of Terraform.
type Damage struct {
	Name string
	Do   func()
}

// Repaired damages a shortcut from Rome to Milan several times. The plan after each damage is an update in place, and
// an apply repairs everything: the next plan is empty.
func (l *Lab) Repaired(t *testing.T, all ...Damage) {
	t.Helper()
	p := l.Applied(t, l.Contexts(ShortcutRomeMilan))
	p.IsConnected()
	for _, damage := range all {
		t.Log(damage.Name)
		damage.Do()
		Says(t, p.Again(), InPlace)
		p.IsConnected()
		l.GatewaysHaveMTU(t, 1340)
		l.AsLiqoSays(p, RomeMilan, "rome", "milan")
		p.KeepsPodCIDR(RomeMilan, "client_network", "10.202.0.0/16")
		p.KeepsPodCIDR(RomeMilan, "server_network", "10.203.0.0/16")
	}
}

// loss is the loss of the objects of a kind that a cluster has for the other one.
type loss struct {
	cluster string
	kind    client.Object
}

// MissingObjects has losses of the objects of a shortcut from Rome to Milan. Package protocol has the loss of each one
// alone. Here, both ends lose theirs at once, but for the gateways: one that stays must find the new one.
func (l *Lab) MissingObjects(t *testing.T) []Damage {
	t.Helper()
	without := func(name string, losses ...loss) Damage {
		return Damage{name, func() {
			for _, one := range losses {
				l.DeleteFromTenant(t, one.cluster, one.kind)
			}
		}}
	}
	configuration, key := &networkingv1beta1.Configuration{}, &networkingv1beta1.PublicKey{}
	connection, secret := &networkingv1beta1.Connection{}, &corev1.Secret{}
	return []Damage{
		without("the Configurations", loss{"rome", configuration}, loss{"milan", configuration}),
		without("the GatewayClient", loss{"rome", &networkingv1beta1.GatewayClient{}}),
		without("the GatewayServer", loss{"milan", &networkingv1beta1.GatewayServer{}}),
		without("the PublicKeys", loss{"rome", key}, loss{"milan", key}),
		without("the Connections", loss{"rome", connection}, loss{"milan", connection}),
		// While the tunnel is up, no gateway needs the keys. A lost key is provided to the other leaf again.
		without("the client's keys", loss{"rome", secret}, loss{"milan", key}),
		without("the server's keys", loss{"milan", secret}, loss{"rome", key}),
		{"the Service", func() {
			l.DeleteFromTenant(t, "milan", &corev1.Service{})
			l.GoesDown(t) // Liqo 1.2.0 does not create it again. The gateways soon miss the pings of each other.
		}},
	}
}

// Liqoctl runs a command of liqoctl on a cluster, and on another one if it needs two. It also works in a cleanup.
func (l *Lab) Liqoctl(t *testing.T, cluster, other string, args ...string) {
	t.Helper()
	Must(t, l.TryLiqoctl(t, cluster, other, args...))
}

// TryLiqoctl is like [Lab.Liqoctl], for a command that may fail.
func (l *Lab) TryLiqoctl(t *testing.T, cluster, other string, args ...string) error {
	t.Helper()
	args = append(args, "--skip-confirm", "--kubeconfig", l.Cluster(t, cluster).Kubeconfig)
	if other != "" {
		args = append(args, "--remote-kubeconfig", l.Cluster(t, other).Kubeconfig)
	}
	output, err := exec.Command(LiqoctlProgram, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("liqoctl %v: %w\n%s", args, err, output)
	}
	return nil
}

// JoinByHand makes a network between two clusters with liqoctl. The client is the first one.
func (l *Lab) JoinByHand(t *testing.T, from, to string) {
	t.Helper()
	l.Liqoctl(t, from, to, "network", "connect", "--gw-server-service-type", "NodePort", "--wait")
}

// Networks lists the requested objects of all networks in every cluster of the lab, one per line. A line changes if the
// object is replaced or its spec changes. It does not contain the status, which Liqo reports.
func (l *Lab) Networks(t *testing.T) []string {
	t.Helper()
	var lines []string
	for _, c := range l.Clusters {
		if c.LiqoVersion == "" {
			continue // it has no such kinds
		}
		for _, kind := range []string{"Configuration", "GatewayServer", "GatewayClient", "PublicKey", "Connection"} {
			var list metav1.PartialObjectMetadataList
			list.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(kind + "List"))
			Must(t, l.Client(t, c.Name).List(t.Context(), &list))
			for i := range list.Items {
				o := &list.Items[i]
				lines = append(lines, fmt.Sprintf("%s %s %s %s generation %d, labels %v",
					c.Name, kind, client.ObjectKeyFromObject(o), o.UID, o.Generation, o.Labels))
			}
		}
	}
	return lines
}

// SameNetworks fails the test if any of these objects has changed.
func (l *Lab) SameNetworks(t *testing.T, before []string) {
	t.Helper()
	if after := l.Networks(t); !slices.Equal(before, after) {
		t.Errorf("the networks have changed; "+
			"before:\n%s\nnow:\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}

// WithoutLabels returns the lines of networks without what changes when someone else takes over the objects.
func WithoutLabels(lines []string) []string {
	cut := make([]string, len(lines))
	for i, line := range lines {
		cut[i], _, _ = strings.Cut(line, ", labels ")
	}
	return cut
}
