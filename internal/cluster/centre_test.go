package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	authv1beta1 "github.com/liqotech/liqo/apis/authentication/v1beta1"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"
	kubeconfigutils "github.com/liqotech/liqo/pkg/utils/kubeconfig"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// centreWith returns a leaf Europe that holds these objects.
func centreWith(objects ...client.Object) *Leaf {
	c := fake.NewClientBuilder().WithScheme(NewScheme()).WithRESTMapper(KnownKinds()).WithObjects(objects...).Build()
	return New("europe", "europe", "liqo", Clients{Cached: c, Live: c}, nil)
}

// tenantNamespace returns the tenant namespace for a cluster, with the labels that Liqo gives it.
func tenantNamespace(id string) *corev1.Namespace {
	return tenantnamespace.NewManager(nil, nil).ForgeNamespace(liqov1beta1.ClusterID(id), nil)
}

// identityFor returns the Identity of a cluster, and its Secret with this kubeconfig.
func identityFor(id string, kubeconfig []byte) (*authv1beta1.Identity, *corev1.Secret) {
	identity := &authv1beta1.Identity{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-" + id, Name: "controlplane-" + id},
	}
	identity.Spec.ClusterID, identity.Spec.Type = liqov1beta1.ClusterID(id), authv1beta1.ControlPlaneIdentityType
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: identity.Namespace, Name: "kubeconfig-" + identity.Name},
		Data:       map[string][]byte{"kubeconfig": kubeconfig},
	}
	identity.Status.KubeconfigSecretRef = &corev1.LocalObjectReference{Name: secret.Name}
	return identity, secret
}

// certificateUntil returns a client certificate that expires then, and its key, PEM.
func certificateUntil(t *testing.T, expiry time.Time) (certificate, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: expiry}
	content, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	must(t, err)
	secret, err := x509.MarshalECPrivateKey(private)
	must(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: content}),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret})
}

// kubeconfigOfLiqo returns a kubeconfig as Liqo writes it, after a change to its cluster and user.
func kubeconfigOfLiqo(t *testing.T, change func(*clientcmdapi.Cluster, *clientcmdapi.AuthInfo)) []byte {
	t.Helper()
	proxy, namespace := "http://user:hunter2@proxy.example:3128", "liqo-tenant-europe"
	certificate, key := certificateUntil(t, time.Now().Add(time.Hour))
	content, err := kubeconfigutils.GenerateKubeconfig("controlplane-rome", "rome", "https://rome.example:6443",
		certificate, certificate, key, &proxy, &namespace)
	must(t, err)
	config, err := clientcmd.Load(content)
	must(t, err)
	change(config.Clusters["rome"], config.AuthInfos["controlplane-rome"])
	if content, err = clientcmd.Write(*config); err != nil {
		t.Fatal(err)
	}
	return content
}

func unchanged(*clientcmdapi.Cluster, *clientcmdapi.AuthInfo) {}

func TestTheCentreHasTheCredentialsOfALeaf(t *testing.T) {
	rome, romes := identityFor("rome", kubeconfigOfLiqo(t, func(
		cluster *clientcmdapi.Cluster, user *clientcmdapi.AuthInfo,
	) {
		cluster.TLSServerName, user.Token = "kubernetes", "s3cret"
	}))
	milan, milans := identityFor("milan", nil)
	slice, slices := identityFor("rome", []byte("of a virtual node"))
	slice.Name, slices.Name, slice.Spec.Type = "slice", "slice", authv1beta1.ResourceSliceIdentityType
	centre := centreWith(tenantNamespace("rome"), tenantNamespace("milan"), milan, milans, slice, slices, rome, romes)
	given, err := centre.identity(t.Context(), "rome")
	must(t, err)
	kubeconfig, err := given.kubeconfig(access.Credentials{})
	must(t, err)
	config, err := access.Credentials{Kubeconfig: kubeconfig}.RESTConfig()
	must(t, err)
	if config.Host != "https://rome.example:6443" || len(config.CAData) == 0 || config.ServerName != "kubernetes" ||
		len(config.CertData) == 0 || len(config.KeyData) == 0 || config.BearerToken != "s3cret" ||
		config.Proxy == nil {
		t.Errorf("got %v", config) // rest.Config hides its secrets
	}
	const expected = `Secret liqo-tenant-rome/kubeconfig-controlplane-rome on leaf "europe"`
	if kubeconfig.Describe() != expected {
		t.Errorf("errors call it %s", kubeconfig.Describe())
	}
}

// planted is in each field that is refused, and in no message.
const planted = "s3cret-planted"

// plant sets a field of a kubeconfig.
func plant(t *testing.T, field reflect.Value) {
	t.Helper()
	switch field := field.Addr().Interface().(type) {
	case *string:
		*field = "/" + planted
	case *bool:
		*field = true
	case *[]string:
		*field = []string{planted}
	case *map[string][]string:
		*field = map[string][]string{planted: {planted}}
	case *map[string]runtime.Object:
		*field = map[string]runtime.Object{planted: &runtime.Unknown{Raw: []byte(`{}`)}}
	case **clientcmdapi.AuthProviderConfig:
		*field = &clientcmdapi.AuthProviderConfig{Name: planted}
	case **clientcmdapi.ExecConfig:
		*field = &clientcmdapi.ExecConfig{
			APIVersion: "client.authentication.k8s.io/v1", Command: "sh", Args: []string{"-c", planted},
			InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
		}
	default:
		t.Fatalf("no test knows how to set a %T", field)
	}
}

func TestWhatIsNoDataOfACredentialIsRefusedByItsName(t *testing.T) {
	accepted := []string{
		"cluster.server", "cluster.tls-server-name", "cluster.certificate-authority-data", "cluster.proxy-url",
		"user.client-certificate-data", "user.client-key-data", "user.token",
	}
	for prefix, part := range map[string]reflect.Type{
		"cluster.": reflect.TypeFor[clientcmdapi.Cluster](), "user.": reflect.TypeFor[clientcmdapi.AuthInfo](),
	} {
		for field := range part.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "-" || slices.Contains(accepted, prefix+name) {
				continue
			}
			t.Run(prefix+name, func(t *testing.T) {
				_, err := given(t, kubeconfigOfLiqo(t, func(cluster *clientcmdapi.Cluster, user *clientcmdapi.AuthInfo) {
					part := map[string]any{"cluster.": cluster, "user.": user}[prefix]
					plant(t, reflect.ValueOf(part).Elem().FieldByIndex(field.Index))
				}))
				if err == nil {
					t.Fatal("it is accepted")
				}
				has(t, err.Error(), prefix+name, `Secret liqo-tenant-rome/kubeconfig-controlplane-rome on leaf "europe"`)
				if strings.Contains(err.Error(), planted) {
					t.Errorf("the value is in: %v", err)
				}
			})
		}
	}
}

// given returns what a centre with this kubeconfig in its Secret gives for Rome.
func given(t *testing.T, kubeconfig []byte) (givenCredentials, error) {
	t.Helper()
	identity, secret := identityFor("rome", kubeconfig)
	return centreWith(tenantNamespace("rome"), identity, secret).identity(t.Context(), "rome")
}

func TestAddressesInACentreThatLeadElsewhereAreRefused(t *testing.T) {
	const noURL = "`server` is not the https URL of an API server"
	for name, test := range map[string]struct{ server, proxy, expected string }{
		"http":              {"http://rome.example", "", noURL},
		"no scheme":         {"rome.example:6443", "", noURL},
		"no server":         {"", "", noURL},
		"a password":        {"https://user:" + planted + "@rome.example", "", noURL},
		"another proxy":     {"https://rome", "socks5h://user:" + planted + "@proxy", "has the scheme \"socks5h\""},
		"no URL of a proxy": {"https://rome", "user:" + planted + "@proxy.example:1", "`proxy-url` is not a URL"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := given(t, kubeconfigOfLiqo(t, func(cluster *clientcmdapi.Cluster, _ *clientcmdapi.AuthInfo) {
				cluster.Server, cluster.ProxyURL = test.server, test.proxy
			}))
			if err == nil || !strings.Contains(err.Error(), test.expected) || strings.Contains(err.Error(), planted) {
				t.Errorf("expected %q, got: %v", test.expected, err)
			}
		})
	}
}

func TestASecretThatIsNoKubeconfigIsNamed(t *testing.T) {
	const current = "contexts: [{name: a, context: {cluster: a, user: b}}]\ncurrent-context: a\n"
	for name, content := range map[string]string{
		"nothing": "", "no YAML": "users: [token: " + planted,
		"no context": "users: [{name: a, user: {token: " + planted + "}}]",
		"no user":    current + "clusters: [{name: a, cluster: {}}]\n",
		"no cluster": current + "users: [{name: b, user: {}}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := given(t, []byte(content))
			if err == nil || !strings.Contains(err.Error(), "Secret liqo-tenant-rome/kubeconfig-controlplane-rome") ||
				strings.Contains(err.Error(), planted) {
				t.Error(err)
			}
		})
	}
}

func TestACentreWithoutUsableCredentialsForALeafSaysWhy(t *testing.T) {
	expired := time.Now().Add(-time.Hour)
	outdated := kubeconfigOfLiqo(t, func(_ *clientcmdapi.Cluster, user *clientcmdapi.AuthInfo) {
		user.ClientCertificateData, user.ClientKeyData = certificateUntil(t, expired)
	})
	for name, test := range map[string]struct {
		kubeconfig []byte
		change     func(*authv1beta1.Identity)
		trouble    trouble.ID // empty if the error is another one
		expected   []string
		lost       bool
	}{
		"another cluster": {
			nil, func(i *authv1beta1.Identity) { i.Spec.ClusterID = "roma" }, "identity-missing",
			[]string{`no Identity for a cluster with the ID "rome"; it has them for "roma"`}, true,
		},
		"another namespace": {
			nil, func(i *authv1beta1.Identity) { i.Namespace = "default" }, "identity-in-wrong-namespace", []string{
				`no Identity for a cluster with the ID "rome" in a tenant namespace of that cluster`,
				"Identity default/controlplane-rome does not count",
			}, false,
		},
		"no kubeconfig yet": {
			nil, func(i *authv1beta1.Identity) { i.Status.KubeconfigSecretRef = nil }, "identity-without-kubeconfig",
			[]string{"Identity liqo-tenant-rome/controlplane-rome", "has no kubeconfig yet"}, false,
		},
		"a user of AWS": {
			nil, func(i *authv1beta1.Identity) { i.Spec.AuthParams.AwsConfig = &authv1beta1.AwsConfig{AwsRegion: "eu"} },
			trouble.NoEntry, []string{"is a user of AWS"}, false,
		},
		"an expired certificate": {
			outdated, func(*authv1beta1.Identity) {}, "identity-expired", []string{
				"expired at " + expired.UTC().Format(time.RFC3339), "renews it only while leaf \"europe\" reaches the cluster",
				"Run `liqoctl authenticate` again",
			}, false,
		},
		"a Secret that is gone": {
			nil, func(i *authv1beta1.Identity) { i.Status.KubeconfigSecretRef.Name = "gone" }, "",
			[]string{`"gone" not found`}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			identity, secret := identityFor("rome", test.kubeconfig)
			test.change(identity)
			_, err := centreWith(tenantNamespace("rome"), identity, secret).identity(t.Context(), "rome")
			if err == nil {
				t.Fatal("there is no error")
			}
			text := err.Error()
			missing, ok := errors.AsType[*noIdentityError](err)
			if ok && missing.id != test.trouble || !ok && test.trouble != "" {
				t.Errorf("expected the trouble %q, got: %v", test.trouble, err)
			}
			if ok {
				text += "\n" + missing.advice
			}
			has(t, text, test.expected...)
			if lost := ok && missing.unpeered; lost != test.lost {
				t.Errorf("the leaf is lost: %t, expected %t", lost, test.lost)
			}
		})
	}
}

func TestOnlyTheIdentityInTheTenantNamespaceOfALeafCounts(t *testing.T) {
	rome, romes := identityFor("rome", kubeconfigOfLiqo(t, unchanged))
	forged, forgeds := identityFor("rome", kubeconfigOfLiqo(t, func(c *clientcmdapi.Cluster, _ *clientcmdapi.AuthInfo) {
		c.Server = "https://attacker.example"
	}))
	forged.Namespace, forgeds.Namespace = "liqo-tenant-milan", "liqo-tenant-milan"
	objects := []client.Object{tenantNamespace("milan"), tenantNamespace("rome"), forged, forgeds, rome, romes}
	given, err := centreWith(objects...).identity(t.Context(), "rome")
	if err != nil || given.cluster.Server != "https://rome.example:6443" {
		t.Errorf("the server is %q (%v)", given.cluster.Server, err)
	}

	second, _ := identityFor("rome", nil)
	second.Name = "second"
	_, err = centreWith(append(objects, second)...).identity(t.Context(), "rome")
	has(t, fmt.Sprint(err), "liqo-tenant-rome/controlplane-rome", "liqo-tenant-rome/second")
}

func TestALeafBehindACentreThatCannotBeUsedIsExplained(t *testing.T) {
	silent := newSilent(t)
	registry := registryOf(t, silent)
	registry.config.Clusters["behind the silent one"] = access.Credentials{From: "milan"}
	registry.config.Clusters["behind itself"] = access.Credentials{From: "behind itself"}
	registry.config.Clusters["behind nothing"] = access.Credentials{From: "nobody"}
	for name, test := range map[string]struct {
		trouble     trouble.ID
		expected    string
		unreachable bool
	}{
		"behind the silent one": {
			"central-cluster-unusable",
			`its credentials come from "milan", which can't be used: leaf "milan": the API server`, true,
		},
		"behind itself": {trouble.NoEntry, "whose credentials come from another cluster, too", false},
		"behind nothing": {
			trouble.NoEntry, `its credentials come from "nobody", which is no known name: "nobody" is neither a cluster`, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := registry.Leaf(t.Context(), name)
			var explained *Error
			if !errors.As(err, &explained) || explained.Leaf != name || !strings.Contains(err.Error(), test.expected) {
				t.Errorf("expected %q, got: %v", test.expected, err)
			}
			if explained != nil && explained.ID != test.trouble {
				t.Errorf("the trouble is %q, expected %q", explained.ID, test.trouble)
			}
			if Unreachable(err) != test.unreachable {
				t.Errorf("unreachable: %t, expected %t", Unreachable(err), test.unreachable)
			}
			if _, unknown := errors.AsType[*UnknownNameError](err); unknown {
				t.Errorf("its own name is unknown: %v", err)
			}
			if lost := name == "behind nothing"; Lost(err) != lost {
				t.Errorf("lost: %t, expected %t", Lost(err), lost)
			}
		})
	}
	dials := silent.dials.Load()
	if _, err := registry.Leaf(t.Context(), "behind the silent one"); err == nil || silent.dials.Load() != dials {
		t.Errorf("the silent centre is dialled %d times more (%v)", silent.dials.Load()-dials, err)
	}
}
