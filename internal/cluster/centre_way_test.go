package cluster

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
)

// fromEurope returns a registry in which the credentials of Rome come from Europe, whose Secret has this kubeconfig,
// and the ways to both. Rome's API server is rome.example.
func fromEurope(t *testing.T, kubeconfig []byte) (*Registry, map[string]*distant) {
	t.Helper()
	identity, secret := identityFor("rome", kubeconfig)
	ways := map[string]*distant{
		"europe": newDistant("europe", time.Second), "rome.example": newDistant("rome", time.Second),
		"other.example": newDistant("rome", time.Second),
	}
	europe := ways["europe"].objects
	europe["identities"], europe["secrets"] = []metav1.Object{identity}, []metav1.Object{secret}
	europe["namespaces"] = []metav1.Object{tenantNamespace("rome")}
	return registryOver(t, ways, map[string]access.Credentials{
		"europe": {Host: "https://europe"}, "rome": {From: "europe"},
	}), ways
}

func TestALeafBehindItsCentreWaitsForFourRoundTrips(t *testing.T) {
	kubeconfig := kubeconfigOfLiqo(t, unchanged)
	synctest.Test(t, func(t *testing.T) {
		registry, ways := fromEurope(t, kubeconfig)
		if _, took := leafAfter(t, registry, "rome"); took != 4*time.Second {
			t.Errorf("it waited for %d round trips: %q, then %q", took/time.Second, ways["europe"].asked,
				ways["rome.example"].asked)
		}
	})
}

func TestASecretOfTheCentreRunsNothingAndReadsNoFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	must(t, os.WriteFile(file, []byte("of-this-machine"), 0o600))
	ran := filepath.Join(t.TempDir(), "ran")
	for name, change := range map[string]func(*clientcmdapi.Cluster, *clientcmdapi.AuthInfo){
		"a program": func(_ *clientcmdapi.Cluster, user *clientcmdapi.AuthInfo) {
			*user = clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
				APIVersion: "client.authentication.k8s.io/v1", Command: "touch", Args: []string{ran},
				InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
			}}
		},
		"a file": func(_ *clientcmdapi.Cluster, user *clientcmdapi.AuthInfo) { user.TokenFile = file },
		"a server that is not verified": func(cluster *clientcmdapi.Cluster, _ *clientcmdapi.AuthInfo) {
			cluster.InsecureSkipTLSVerify, cluster.CertificateAuthorityData = true, nil
		},
	} {
		kubeconfig := kubeconfigOfLiqo(t, change)
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				registry, ways := fromEurope(t, kubeconfig)
				_, err := registry.Leaf(t.Context(), "rome")
				explained, ok := errors.AsType[*Error](err)
				if !ok || explained.Leaf != "rome" || Unreachable(err) || Lost(err) ||
					!strings.Contains(explained.Advice, "Secret") {
					t.Errorf("the error is: %v", err)
				}
				if requests := ways["rome.example"].asked; len(requests) > 0 {
					t.Errorf("the leaf was asked: %q", requests)
				}
			})
		})
	}
	if _, err := os.Stat(ran); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the program has run (%v)", err)
	}
}

func TestALeafBehindItsCentreThatSwallowsPacketsIsGivenUpInTime(t *testing.T) {
	kubeconfig := kubeconfigOfLiqo(t, unchanged)
	synctest.Test(t, func(t *testing.T) {
		registry, ways := fromEurope(t, kubeconfig)
		ways["rome.example"].roundTrip = time.Hour
		began := time.Now()
		_, err := registry.Leaf(t.Context(), "rome")
		if took := time.Since(began).Truncate(time.Second); !Unreachable(err) || took != 3*time.Second+usualPatience.answer {
			t.Errorf("after %s: %v", took, err)
		}
	})
}

func TestAHostPinsTheWayToALeafBehindItsCentre(t *testing.T) {
	kubeconfig := kubeconfigOfLiqo(t, unchanged) // which has another host, and a proxy
	synctest.Test(t, func(t *testing.T) {
		registry, ways := fromEurope(t, kubeconfig)
		entry := access.Credentials{From: "europe", Host: "https://other.example"}
		registry.config.Clusters["rome"] = entry
		credentials, err := registry.fromCentre(t.Context(), "rome", entry)
		must(t, err)
		if config, err := credentials.RESTConfig(); err != nil || config.Proxy != nil {
			t.Errorf("it has the proxy of the Secret (%v)", err)
		}
		leafAfter(t, registry, "rome")
		if len(ways["rome.example"].asked) > 0 || len(ways["other.example"].asked) == 0 {
			t.Errorf("the host of the Secret was asked for %q", ways["rome.example"].asked)
		}
	})
}
