package acctest

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
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

// MissingObjects has losses of the objects of a shortcut from Rome to Milan. Package protocol has the loss of each one
// alone. Here, both ends lose theirs at once, but for the gateways: one that stays must find the new one.
func (l *Lab) MissingObjects(t *testing.T) []Damage {
	t.Helper()
	without := func(name, cluster string, kind client.Object) Damage {
		return Damage{name, func() { l.DeleteFromTenant(t, cluster, kind) }}
	}
	withoutBoth := func(name string, kind client.Object) Damage {
		return Damage{name, func() {
			l.DeleteFromTenant(t, "rome", kind)
			l.DeleteFromTenant(t, "milan", kind)
		}}
	}
	return []Damage{
		withoutBoth("the Configurations", &networkingv1beta1.Configuration{}),
		without("the GatewayClient", "rome", &networkingv1beta1.GatewayClient{}),
		without("the GatewayServer", "milan", &networkingv1beta1.GatewayServer{}),
		withoutBoth("the PublicKeys", &networkingv1beta1.PublicKey{}),
		withoutBoth("the Connections", &networkingv1beta1.Connection{}),
		// While the tunnel is up, no gateway needs the keys. A lost key is provided to the other leaf again.
		{"the client's keys", func() {
			l.DeleteFromTenant(t, "rome", &corev1.Secret{})
			l.DeleteFromTenant(t, "milan", &networkingv1beta1.PublicKey{})
		}},
		{"the server's keys", func() {
			l.DeleteFromTenant(t, "milan", &corev1.Secret{})
			l.DeleteFromTenant(t, "rome", &networkingv1beta1.PublicKey{})
		}},
		{"the Service", func() {
			l.DeleteFromTenant(t, "milan", &corev1.Service{})
			// Liqo 1.2.0 does not create it again. This shows as soon as the gateways miss the pings of each other.
			Await(t, l, "rome", &networkingv1beta1.ConnectionList{}, "gw-milan", Failed)
			Await(t, l, "milan", &networkingv1beta1.ConnectionList{}, "gw-rome", Failed)
		}},
	}
}

// Liqoctl runs a command of liqoctl that needs two clusters. The client is the first one.
func (l *Lab) Liqoctl(t *testing.T, from, to string, args ...string) {
	t.Helper()
	args = append(args, "--kubeconfig", l.Cluster(t, from).Kubeconfig, "--remote-kubeconfig",
		l.Cluster(t, to).Kubeconfig, "--skip-confirm")
	if output, err := exec.CommandContext(t.Context(), LiqoctlProgram, args...).CombinedOutput(); err != nil {
		t.Fatalf("liqoctl %v: %v\n%s", args, err, output)
	}
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
		for _, kind := range []string{"Configuration", "GatewayServer", "GatewayClient", "PublicKey", "Connection"} {
			var list metav1.PartialObjectMetadataList
			list.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(kind + "List"))
			if err := l.Client(t, c.Name).List(t.Context(), &list); err != nil && !lacksLiqo(err) {
				t.Fatal(err)
			}
			for i := range list.Items {
				o := &list.Items[i]
				lines = append(lines, fmt.Sprintf("%s %s %s %s generation %d, labels %v",
					c.Name, kind, client.ObjectKeyFromObject(o), o.UID, o.Generation, o.Labels))
			}
		}
	}
	return lines
}

// lacksLiqo reports whether a request has failed because the cluster has no Liqo. The first request of a client for a
// kind of a group that is not served fails in another way than the later ones.
func lacksLiqo(err error) bool {
	_, unknown := errors.AsType[*apiutil.ErrResourceDiscoveryFailed](err)
	return unknown || meta.IsNoMatchError(err)
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
