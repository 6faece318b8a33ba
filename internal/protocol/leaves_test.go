package protocol

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// The leaves of most tests. Naples has the same pod CIDR as Rome, Liqo gives out no range like Europe's, and Venice has
// no Liqo.
var (
	pair     = []string{"rome=10.202.0.0/16", "milan=10.203.0.0/16"}
	topology = append(
		slices.Clone(pair), "europe=100.64.0.0/16", "naples=10.202.0.0/16", "venice=10.205.0.0/16,no-liqo",
	)
)

// leaves are those of one test.
type leaves struct {
	t          *testing.T
	kubeconfig string // with a context for each leaf, with its name, that leads to its proxy
	all        map[string]*leaf
}

// leaf is one leaf, with the proxy between it and the provider.
type leaf struct {
	started
	*clustertest.Proxy
	client.WithWatch // an administrator's, who needs no proxy
}

// leavesFor starts leaves for a test, which runs in parallel with others. Without any, they are a pair.
func leavesFor(t *testing.T, words ...string) *leaves {
	t.Helper()
	t.Parallel()
	if len(words) == 0 {
		words = pair
	}
	l := &leaves{t: t, all: map[string]*leaf{}, kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	kubeconfig := clientcmdapi.NewConfig()
	for _, s := range start(t, words) {
		one := &leaf{s, clustertest.NewProxy(t, s.Server, s.CertificateAuthority), administrator(t, s)}
		l.all[s.Name] = one
		kubeconfig.Clusters[s.Name] = &clientcmdapi.Cluster{
			Server: one.URL(), CertificateAuthorityData: []byte(one.Authority()),
		}
		kubeconfig.AuthInfos[s.Name] = &clientcmdapi.AuthInfo{Token: s.Token}
		kubeconfig.Contexts[s.Name] = &clientcmdapi.Context{Cluster: s.Name, AuthInfo: s.Name}
	}
	must(t, clientcmd.WriteToFile(*kubeconfig, l.kubeconfig))
	return l
}

// applied starts leaves, and applies a configuration of them.
func applied(t *testing.T, config string, words ...string) (*leaves, *project) {
	t.Helper()
	l := leavesFor(t, words...)
	p := l.project(t, config)
	p.apply()
	return l, p
}

// schemes knows every kind of Kubernetes and Liqo.
var schemes = func() *runtime.Scheme {
	schemes := cluster.NewScheme()
	if err := clientgoscheme.AddToScheme(schemes); err != nil {
		panic(err) // its types contradict the others
	}
	return schemes
}()

func administrator(t *testing.T, s started) client.WithWatch {
	t.Helper()
	config := &rest.Config{
		Host: s.Server, BearerToken: s.Token, QPS: -1, // no limit
		TLSClientConfig: rest.TLSClientConfig{CAData: []byte(s.CertificateAuthority)},
	}
	c, err := client.NewWithWatch(config, client.Options{Scheme: schemes})
	must(t, err)
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// of returns the leaf with this name.
func (l *leaves) of(name string) *leaf {
	l.t.Helper()
	one := l.all[name]
	if one == nil {
		l.t.Fatalf("the test has no leaf %q", name)
	}
	return one
}

// read reads an object of a leaf by its name, and returns it.
func read[T client.Object](l *leaves, name string, object T) T {
	l.t.Helper()
	must(l.t, l.of(name).Get(l.t.Context(), client.ObjectKeyFromObject(object), object))
	return object
}

// have creates an object on a leaf.
func (l *leaves) have(name string, object client.Object) {
	l.t.Helper()
	must(l.t, l.of(name).Create(l.t.Context(), object))
}

// inTenant gives an object the namespace and the name that Liqo gives to what a leaf has for another one.
func inTenant[T client.Object](object T, other string) T {
	object.SetNamespace("liqo-tenant-" + other)
	object.SetName(other)
	return object
}

// patch changes an object on a leaf, outside of Terraform.
func (l *leaves) patch(name string, object client.Object, patch string) {
	l.t.Helper()
	merged := client.RawPatch(types.MergePatchType, []byte(patch))
	must(l.t, l.of(name).Patch(l.t.Context(), object, merged))
}

// patchStatus changes the status of an object on a leaf, as Liqo does.
func (l *leaves) patchStatus(name string, object client.Object, patch string) {
	l.t.Helper()
	merged := client.RawPatch(types.MergePatchType, []byte(patch))
	must(l.t, l.of(name).Status().Patch(l.t.Context(), object, merged))
}

// lose deletes an object on a leaf, outside of Terraform.
func (l *leaves) lose(name string, object client.Object) {
	l.t.Helper()
	must(l.t, l.of(name).Delete(l.t.Context(), object))
}

// hasObject reports whether a leaf has an object.
func (l *leaves) hasObject(name string, object client.Object) bool {
	l.t.Helper()
	err := l.of(name).Get(l.t.Context(), client.ObjectKeyFromObject(object), object)
	must(l.t, client.IgnoreNotFound(err))
	return err == nil
}

// namespaceNamed returns an ordinary namespace.
func namespaceNamed(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

const (
	romeMilan    = "liqo_shortcut.rome_milan"
	overNodePort = `server_gateway = { service_type = "NodePort" }`
)

// shortcut returns one from Rome to Milan whose server has a NodePort, with more settings.
func shortcut(settings ...string) string {
	return between("milan", overNodePort+"\n"+strings.Join(settings, "\n"))
}

// between returns a shortcut from Rome to a server, with these settings.
func between(server, settings string) string { return fromTo("rome", server, settings) }

// fromTo returns a shortcut between any two leaves, at the same address.
func fromTo(client, server, settings string) string {
	return named("rome_milan", client, server, settings)
}

// named returns a shortcut at an address of its own.
func named(name, client, server, settings string) string {
	return fmt.Sprintf(`
		resource "liqo_shortcut" %q {
		  client = %q
		  server = %q
		  %s
		}`, name, client, server, settings)
}

// endAt returns a resource of one end at an address: that of a leaf, for another cluster.
func endAt(address, leaf, other, settings string) string {
	kind, name, _ := strings.Cut(address, ".")
	return fmt.Sprintf(`
		resource %q %q {
		  cluster           = %q
		  remote_cluster_id = %q
		  %s
		}`, kind, name, leaf, other, settings)
}
