//go:build lab

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	liqoutils "github.com/liqotech/liqo/pkg/utils"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/inspect"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// run runs the command on a lab and fails the test if it fails.
func (r *running) run(t *testing.T, args ...string) {
	t.Helper()
	if out, err := command(t, append(args, "--dir", r.Dir)...).CombinedOutput(); err != nil {
		t.Fatalf("liqo-lab %v: %v\n%s", args, err, out)
	}
}

// awaitRole waits until a cluster's record of the other one has a role.
func awaitRole(t *testing.T, c labdir.Cluster, want liqov1beta1.RoleType) {
	t.Helper()
	waitFor(t, c, &liqov1beta1.ForeignCluster{}, func(f *liqov1beta1.ForeignCluster) bool { return f.Status.Role == want })
}

func TestTwoClustersArePeeredAndUnpeered(t *testing.T) {
	lab := startWith(t, filepath.Join(t.TempDir(), "lab"), "--peerable",
		"--cluster=europe=10.200.0.0/16", "--cluster=rome=10.200.0.0/16")
	europe, rome := lab.Clusters[0], lab.Clusters[1]
	before, err := inspect.Inventory(t.Context(), lab.Clusters)
	if err != nil {
		t.Fatal(err)
	}
	lab.run(t, "peer", "europe", "rome")

	t.Run("each knows what the other one is to it", func(t *testing.T) {
		awaitRole(t, europe, liqov1beta1.ProviderRole)
		awaitRole(t, rome, liqov1beta1.ConsumerRole)
	})

	t.Run("the consumer has a node that stands for the provider", func(t *testing.T) {
		waitFor(t, europe, &corev1.Node{}, func(n *corev1.Node) bool { return n.Name == "rome" && liqoutils.IsNodeReady(n) })
	})

	t.Run("the consumer has credentials for the provider", func(t *testing.T) {
		var secret corev1.Secret
		key := client.ObjectKey{Namespace: "liqo-tenant-rome", Name: "kubeconfig-controlplane-rome"}
		err := connect(t, europe).Get(t.Context(), key, &secret)
		if err != nil || !strings.Contains(string(secret.Data["kubeconfig"]), rome.Server) {
			t.Errorf("got %d keys, %v", len(secret.Data), err)
		}
	})

	t.Run("nothing accepts connections from other machines", lab.listensHere)

	t.Run("etcd lets nobody in without a certificate", func(t *testing.T) {
		for _, c := range lab.Clusters {
			stranger := labdir.Etcd{Address: c.Etcd.Address, CAFile: c.Etcd.CAFile}
			if keys, err := stranger.Keys(t.Context(), "/", "0"); err == nil {
				t.Errorf("%s: a stranger sees %d keys", c.Name, len(keys))
			}
			if keys, err := c.Etcd.Keys(t.Context(), "/", "0"); err != nil || len(keys) == 0 {
				t.Errorf("%s: the lab sees %d keys, %v", c.Name, len(keys), err)
			}
		}
	})

	t.Run("the virtual kubelet comes back with its API server", func(t *testing.T) {
		lab.run(t, "stop-apiserver", "europe")
		stopped := time.Now()
		lab.run(t, "start-apiserver", "europe")
		waitFor(t, europe, &coordinationv1.Lease{}, func(l *coordinationv1.Lease) bool {
			return l.Namespace == corev1.NamespaceNodeLease && l.Name == "rome" && l.Spec.RenewTime.After(stopped)
		})
	})

	unpeer := exec.CommandContext(t.Context(), buildLiqoctl(t, binaries.Liqoctl), "unpeer", "--skip-confirm",
		"--delete-namespaces", "--kubeconfig", europe.Kubeconfig, "--remote-kubeconfig", rome.Kubeconfig)
	if out, err := unpeer.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s%s", err, out, terminating(t, europe), terminating(t, rome))
	}
	after, err := inspect.Inventory(t.Context(), lab.Clusters)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range inspect.Compare(before, after).Added {
		if !keptAfterPeering(line) {
			t.Errorf("liqoctl unpeer leaves %s", line)
		}
	}
	lab.run(t, "down")
	gone(t, lab.Dir)
}

// terminating describes the namespaces of a cluster that are being deleted, and what Kubernetes says of each.
func terminating(t *testing.T, c labdir.Cluster) string {
	t.Helper()
	var namespaces corev1.NamespaceList
	if err := connect(t, c).List(t.Context(), &namespaces); err != nil {
		return err.Error()
	}
	var text strings.Builder
	for _, namespace := range namespaces.Items {
		if namespace.DeletionTimestamp == nil {
			continue
		}
		fmt.Fprintf(&text, "%s: %s has been terminating since %s\n", c.Name, namespace.Name, namespace.DeletionTimestamp)
		for _, condition := range namespace.Status.Conditions {
			fmt.Fprintf(&text, "  %s %s: %s\n", condition.Type, condition.Status, condition.Message)
		}
	}
	return text.String()
}

// keptAfterPeering reports whether Liqo 1.2.0 or Kubernetes keeps an object after a peering. Liqo
// keeps the record of the other cluster for good, Kubernetes keeps signing requests for an hour.
func keptAfterPeering(line string) bool {
	return strings.Contains(line, " core.liqo.io/foreignclusters ") ||
		strings.Contains(line, " certificatesigningrequests liqo-identity-")
}
