package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	authv1beta1 "github.com/liqotech/liqo/apis/authentication/v1beta1"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// centreWith returns a leaf Europe that holds these objects.
func centreWith(objects ...client.Object) *Leaf {
	c := fake.NewClientBuilder().WithScheme(NewScheme()).WithRESTMapper(KnownKinds()).WithObjects(objects...).Build()
	return New("europe", "europe", "liqo", c, c, nil, nil)
}

// identityFor returns the Identity of a cluster, and its Secret with this kubeconfig.
func identityFor(id string, kubeconfig []byte) (*authv1beta1.Identity, *corev1.Secret) {
	namespace, name := "liqo-tenant-"+id, "controlplane-"+id
	return &authv1beta1.Identity{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
			Spec: authv1beta1.IdentitySpec{
				ClusterID: liqov1beta1.ClusterID(id), Type: authv1beta1.ControlPlaneIdentityType,
			},
			Status: authv1beta1.IdentityStatus{
				KubeconfigSecretRef: &corev1.LocalObjectReference{Name: "kubeconfig-" + name},
			},
		}, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "kubeconfig-" + name},
			Data:       map[string][]byte{"kubeconfig": kubeconfig},
		}
}

// kubeconfigUntil returns a kubeconfig with a client certificate that expires then.
func kubeconfigUntil(t *testing.T, expiry time.Time) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: expiry}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	config := clientcmdapi.NewConfig()
	config.AuthInfos["europe"] = &clientcmdapi.AuthInfo{
		ClientCertificateData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}),
	}
	content, err := clientcmd.Write(*config)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestTheCentreHasTheKubeconfigOfALeaf(t *testing.T) {
	rome, romes := identityFor("rome", kubeconfigUntil(t, time.Now().Add(time.Hour)))
	milan, milans := identityFor("milan", nil)
	slice, slices := identityFor("rome", []byte("of a virtual node"))
	slice.Name, slices.Name, slice.Spec.Type = "slice", "slice", authv1beta1.ResourceSliceIdentityType
	kubeconfig, err := centreWith(milan, milans, slice, slices, rome, romes).identity(t.Context(), "rome")
	if err != nil {
		t.Fatal(err)
	}
	if kubeconfig.Content != string(romes.Data["kubeconfig"]) {
		t.Error("the kubeconfig is another one")
	}
	const expected = `the kubeconfig of Identity liqo-tenant-rome/controlplane-rome on leaf "europe"`
	if kubeconfig.describe() != expected {
		t.Errorf("errors call it %s", kubeconfig.describe())
	}
}

func TestACentreWithoutUsableCredentialsForALeafSaysWhy(t *testing.T) {
	valid := kubeconfigUntil(t, time.Now().Add(time.Hour))
	expired := time.Now().Add(-time.Hour)
	for name, test := range map[string]struct {
		change   func(*authv1beta1.Identity, *corev1.Secret)
		expected []string
		lost     bool
	}{
		"another cluster": {
			func(identity *authv1beta1.Identity, _ *corev1.Secret) { identity.Spec.ClusterID = "roma" },
			[]string{`no Identity for a cluster with the ID "rome"; it has them for "roma"`}, true,
		},
		"no kubeconfig yet": {
			func(identity *authv1beta1.Identity, _ *corev1.Secret) { identity.Status.KubeconfigSecretRef = nil },
			[]string{"Identity liqo-tenant-rome/controlplane-rome", "has no kubeconfig yet"}, false,
		},
		"a user of AWS": {
			func(identity *authv1beta1.Identity, _ *corev1.Secret) {
				identity.Spec.AuthParams.AwsConfig = &authv1beta1.AwsConfig{AwsRegion: "eu-south-1"}
			},
			[]string{"is a user of AWS"}, false,
		},
		"an expired certificate": {
			func(_ *authv1beta1.Identity, secret *corev1.Secret) {
				secret.Data["kubeconfig"] = kubeconfigUntil(t, expired)
			},
			[]string{"expired at " + expired.UTC().Format(time.RFC3339)}, false,
		},
		"a Secret that is gone": {
			func(identity *authv1beta1.Identity, _ *corev1.Secret) {
				identity.Status.KubeconfigSecretRef.Name = "gone"
			},
			[]string{`"gone" not found`}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			identity, secret := identityFor("rome", valid)
			test.change(identity, secret)
			_, err := centreWith(identity, secret).identity(t.Context(), "rome")
			if err == nil {
				t.Fatal("there is no error")
			}
			for _, words := range test.expected {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("expected %q, got: %v", words, err)
				}
			}
			if Lost(err) != test.lost {
				t.Errorf("the leaf is lost: %t, expected %t", Lost(err), test.lost)
			}
		})
	}
}

func TestALeafBehindACentreThatCannotBeUsedIsExplained(t *testing.T) {
	silent := newSilent(t)
	registry := registryOf(t, silent)
	registry.config.Clusters["behind the silent one"] = Credentials{Through: "milan"}
	registry.config.Clusters["behind itself"] = Credentials{Through: "behind itself"}
	registry.config.Clusters["behind nothing"] = Credentials{Through: "nobody"}
	for name, test := range map[string]struct {
		expected    string
		unreachable bool
	}{
		"behind the silent one": {`it is reached through "milan", which can't be used: leaf "milan": the API server`, true},
		"behind itself":         {"which itself is reached through another cluster", false},
		"behind nothing":        {`"nobody" is neither a cluster of the provider block`, false},
	} {
		_, err := registry.Leaf(t.Context(), name)
		var explained *Error
		if !errors.As(err, &explained) || explained.Leaf != name || !strings.Contains(err.Error(), test.expected) {
			t.Errorf("%s: expected %q, got: %v", name, test.expected, err)
		}
		if Unreachable(err) != test.unreachable {
			t.Errorf("%s: unreachable: %t, expected %t", name, Unreachable(err), test.unreachable)
		}
	}
	dials := silent.dials.Load()
	if _, err := registry.Leaf(t.Context(), "behind the silent one"); err == nil || silent.dials.Load() != dials {
		t.Errorf("the silent centre is dialled %d times more (%v)", silent.dials.Load()-dials, err)
	}
}
