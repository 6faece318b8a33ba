package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
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

// Each test sets one field that client-go knows. A field that a later version adds has no test yet, and fails this one.
func TestWhatIsNoDataOfACredentialIsRefusedByItsName(t *testing.T) {
	type (
		cluster = clientcmdapi.Cluster
		user    = clientcmdapi.AuthInfo
	)
	extensions := map[string]runtime.Object{planted: &runtime.Unknown{Raw: []byte(`{}`)}}
	refused := map[string]func(*cluster, *user){
		"cluster.certificate-authority":    func(c *cluster, _ *user) { c.CertificateAuthority = "/" + planted },
		"cluster.disable-compression":      func(c *cluster, _ *user) { c.DisableCompression = true },
		"cluster.extensions":               func(c *cluster, _ *user) { c.Extensions = extensions },
		"cluster.insecure-skip-tls-verify": func(c *cluster, _ *user) { c.InsecureSkipTLSVerify = true },
		"user.act-as":                      func(_ *cluster, u *user) { u.Impersonate = planted },
		"user.act-as-groups":               func(_ *cluster, u *user) { u.ImpersonateGroups = []string{planted} },
		"user.act-as-uid":                  func(_ *cluster, u *user) { u.ImpersonateUID = planted },
		"user.act-as-user-extra": func(_ *cluster, u *user) {
			u.ImpersonateUserExtra = map[string][]string{planted: {planted}}
		},
		"user.auth-provider": func(_ *cluster, u *user) {
			u.AuthProvider = &clientcmdapi.AuthProviderConfig{Name: planted}
		},
		"user.client-certificate": func(_ *cluster, u *user) { u.ClientCertificate = "/" + planted },
		"user.client-key":         func(_ *cluster, u *user) { u.ClientKey = "/" + planted },
		"user.exec": func(_ *cluster, u *user) {
			u.Exec = &clientcmdapi.ExecConfig{
				APIVersion: "client.authentication.k8s.io/v1", Command: "sh", Args: []string{"-c", planted},
				InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
			}
		},
		"user.extensions": func(_ *cluster, u *user) { u.Extensions = extensions },
		"user.password":   func(_ *cluster, u *user) { u.Password = planted },
		"user.tokenFile":  func(_ *cluster, u *user) { u.TokenFile = "/" + planted },
		"user.username":   func(_ *cluster, u *user) { u.Username = planted },
	}
	for name, change := range refused {
		t.Run(name, func(t *testing.T) {
			_, err := given(t, kubeconfigOfLiqo(t, change))
			if err == nil {
				t.Fatal("it is accepted")
			}
			for _, words := range []string{name, `Secret liqo-tenant-rome/kubeconfig-controlplane-rome on leaf "europe"`} {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("%q is missing in: %v", words, err)
				}
			}
			if strings.Contains(err.Error(), planted) {
				t.Errorf("the value is in: %v", err)
			}
		})
	}
	accepted := []string{
		"cluster.server", "cluster.tls-server-name", "cluster.certificate-authority-data", "cluster.proxy-url",
		"user.client-certificate-data", "user.client-key-data", "user.token",
	}
	for kind, value := range map[string]reflect.Type{
		"cluster.": reflect.TypeFor[cluster](), "user.": reflect.TypeFor[user](),
	} {
		t.Run(kind, func(t *testing.T) {
			for field := range value.Fields() {
				name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
				if name != "-" && refused[kind+name] == nil && !slices.Contains(accepted, kind+name) {
					t.Errorf("no test has the field %s%s", kind, name)
				}
			}
		})
	}
}

// given returns what a centre with this kubeconfig in its Secret gives for Rome.
func given(t *testing.T, kubeconfig []byte) (givenCredentials, error) {
	t.Helper()
	identity, secret := identityFor("rome", kubeconfig)
	return centreWith(tenantNamespace("rome"), identity, secret).identity(t.Context(), "rome")
}

func TestAddressesInACentreThatLeadElsewhereAreRefused(t *testing.T) {
	for expected, change := range map[string]func(*clientcmdapi.Cluster){
		"`server` is not the https URL":      func(c *clientcmdapi.Cluster) { c.Server = "http://rome.example" },
		"`server` is not the https URL of":   func(c *clientcmdapi.Cluster) { c.Server = "rome.example:6443" },
		"`server` is not the https URL of a": func(c *clientcmdapi.Cluster) { c.Server = "" },
		"`server` is not": func(c *clientcmdapi.Cluster) {
			c.Server = "https://user:" + planted + "@rome.example"
		},
		"`proxy-url` has the scheme \"socks5h\"": func(c *clientcmdapi.Cluster) {
			c.ProxyURL = "socks5h://user:" + planted + "@proxy.example"
		},
		"`proxy-url` is not": func(c *clientcmdapi.Cluster) { c.ProxyURL = "user:" + planted + "@proxy.example:1" },
	} {
		t.Run(expected, func(t *testing.T) {
			_, err := given(t, kubeconfigOfLiqo(t, func(cluster *clientcmdapi.Cluster, _ *clientcmdapi.AuthInfo) {
				change(cluster)
			}))
			if err == nil || !strings.Contains(err.Error(), expected) || strings.Contains(err.Error(), planted) {
				t.Errorf("expected %q, got: %v", expected, err)
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
	for name, test := range map[string]struct {
		change   func(*authv1beta1.Identity, *corev1.Secret)
		trouble  trouble.ID // empty if the error is another one
		expected []string
		lost     bool
	}{
		"another cluster": {
			func(identity *authv1beta1.Identity, _ *corev1.Secret) { identity.Spec.ClusterID = "roma" },
			"identity-missing",
			[]string{`no Identity for a cluster with the ID "rome"; it has them for "roma"`}, true,
		},
		"another namespace": {
			func(identity *authv1beta1.Identity, _ *corev1.Secret) { identity.Namespace = "default" },
			"identity-in-wrong-namespace",
			[]string{
				`no Identity for a cluster with the ID "rome" in a tenant namespace of that cluster`,
				"Identity default/controlplane-rome does not count",
			}, false,
		},
		"no kubeconfig yet": {
			func(identity *authv1beta1.Identity, _ *corev1.Secret) { identity.Status.KubeconfigSecretRef = nil },
			"identity-without-kubeconfig",
			[]string{"Identity liqo-tenant-rome/controlplane-rome", "has no kubeconfig yet"}, false,
		},
		"a user of AWS": {
			func(identity *authv1beta1.Identity, _ *corev1.Secret) {
				identity.Spec.AuthParams.AwsConfig = &authv1beta1.AwsConfig{AwsRegion: "eu-south-1"}
			},
			trouble.NoEntry, []string{"is a user of AWS"}, false,
		},
		"an expired certificate": {
			func(_ *authv1beta1.Identity, secret *corev1.Secret) {
				secret.Data["kubeconfig"] = kubeconfigOfLiqo(t, func(_ *clientcmdapi.Cluster, user *clientcmdapi.AuthInfo) {
					user.ClientCertificateData, user.ClientKeyData = certificateUntil(t, expired)
				})
			},
			"identity-expired", []string{
				"expired at " + expired.UTC().Format(time.RFC3339), "renews it only while leaf \"europe\" reaches the cluster",
				"Run `liqoctl authenticate` again",
			}, false,
		},
		"a Secret that is gone": {
			func(identity *authv1beta1.Identity, _ *corev1.Secret) {
				identity.Status.KubeconfigSecretRef.Name = "gone"
			},
			"", []string{`"gone" not found`}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			identity, secret := identityFor("rome", kubeconfigOfLiqo(t, unchanged))
			test.change(identity, secret)
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
			for _, words := range test.expected {
				if !strings.Contains(text, words) {
					t.Errorf("expected %q, got: %s", words, text)
				}
			}
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
	if err == nil || !strings.Contains(err.Error(), "liqo-tenant-rome/controlplane-rome") ||
		!strings.Contains(err.Error(), "liqo-tenant-rome/second") {
		t.Errorf("two Identities: %v", err)
	}
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
			trouble.NoEntry,
			`its credentials come from "nobody", which is no known name: "nobody" is neither a cluster`,
			false,
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
