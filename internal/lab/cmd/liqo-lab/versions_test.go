//go:build lab

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
)

// oldestLiqo is the oldest minor release of Liqo that the lab runs.
const oldestLiqo = "v1.0.1"

// oldAndNew are two clusters with the oldest and the newest minor release.
var oldAndNew = []string{"rome=10.200.0.0/16,liqo=" + oldestLiqo, "milan=10.200.0.0/16"}

// oldLiqoctl is the oldest liqoctl. Tests build it before their lab starts, which runs for a limited time.
var oldLiqoctl = binaries.Liqoctl.At(binaries.LiqoRelease{Version: oldestLiqo})

// connectOld connects two clusters with the oldest liqoctl, and waits until the tunnel works.
func connectOld(t *testing.T, server, dialer labdir.Cluster) {
	t.Helper()
	runLiqoctlProgram(t, oldLiqoctl, "network", "connect", "--gw-server-service-type", "NodePort", "--wait",
		"--kubeconfig", dialer.Kubeconfig, "--remote-kubeconfig", server.Kubeconfig)
}

func TestClustersWithDifferentVersionsOfLiqoRunInOneLab(t *testing.T) {
	buildLiqoctl(t, oldLiqoctl)
	lab := start(t, filepath.Join(t.TempDir(), "lab"), oldAndNew...)
	rome, milan := lab.Clusters[0], lab.Clusters[1]

	t.Run("the state has the version of each", func(t *testing.T) {
		status := lab.status(t)
		described, err := json.Marshal(status)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		status.print(&out)
		for text, parts := range map[string][]string{
			string(described): {`"liqoVersion":"` + oldestLiqo + `"`, `"liqoVersion":"` + milan.LiqoVersion + `"`},
			out.String():      {"Liqo " + oldestLiqo + " running", "Liqo " + milan.LiqoVersion + " running"},
		} {
			for _, part := range parts {
				if !strings.Contains(text, part) {
					t.Errorf("it does not say %s:\n%s", part, text)
				}
			}
		}
	})

	t.Run("each has the Deployment from which clients read the version", func(t *testing.T) {
		for _, c := range []labdir.Cluster{rome, milan} {
			var manager appsv1.Deployment
			key := client.ObjectKey{Namespace: "liqo", Name: "liqo-controller-manager"}
			if err := connect(t, c).Get(t.Context(), key, &manager); err != nil {
				t.Fatal(err)
			}
			if image := manager.Spec.Template.Spec.Containers[0].Image; !strings.HasSuffix(image, ":"+c.LiqoVersion) {
				t.Errorf("%s: the image is %s", c.Name, image)
			}
		}
	})

	t.Run("a gateway of either version is the server of the other", func(t *testing.T) {
		for _, pair := range [][2]labdir.Cluster{{rome, milan}, {milan, rome}} {
			connectOld(t, pair[0], pair[1])
			awaitStatus(t, rome, networkingv1beta1.Connected)
			awaitStatus(t, milan, networkingv1beta1.Connected)
			partLeaves(t, rome, milan)
		}
	})
	lab.run(t, "down")
	gone(t, lab.Dir)
}

func TestAVersionOfLiqoThatDoesNotExistIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lab")
	out, err := command(t, "up", "--dir", dir, "--cluster", "rome=10.200.0.0/16,liqo=v1.0.99").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "cluster rome: Liqo v1.0.99") {
		t.Errorf("the error is %v\n%s", err, out)
	}
	gone(t, dir)
}

func TestARunningClusterGetsAnotherVersionOfLiqo(t *testing.T) {
	buildLiqoctl(t, oldLiqoctl)
	lab := start(t, filepath.Join(t.TempDir(), "lab"), oldAndNew...)
	rome, milan := lab.Clusters[0], lab.Clusters[1]
	connectOld(t, milan, rome)
	for _, release := range []binaries.LiqoRelease{releaseOf(milan), {Version: oldestLiqo}} {
		lab.run(t, "set", "rome", "liqo="+cmp.Or(release.Folder, string(release.Version)))
		status := lab.status(t)
		if now := releaseOf(status.Clusters[0]); now != release {
			t.Errorf("the release is %s, expected %s", now, release)
		}
		awaitStatus(t, rome, networkingv1beta1.Connected)
		awaitStatus(t, milan, networkingv1beta1.Connected)
	}
	partLeaves(t, rome, milan)
	lab.run(t, "down")
	gone(t, lab.Dir)
}
