// Package fleet runs leaves that are no clusters: each is an HTTP server that answers what the provider asks of a
// Kubernetes API server, with a stand-in for Liqo's reactions. A hundred of them fit into one process, and each starts
// in milliseconds. They are for figures of large fleets, and for tests of what the provider says, plans and asks. What
// Liqo does is shown on real clusters, and so is that a leaf of a fleet answers as they do, by the package conformance.
package fleet

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
)

// Fleet is leaves that run.
type Fleet struct {
	leaves      []*leaf
	connections atomic.Int64
	group       *errgroup.Group
	stop        context.CancelFunc

	// Specs describe the leaves, with all their ranges.
	Specs []kube.Spec
	// Kubeconfig has a context for each leaf, with the leaf's name.
	Kubeconfig *clientcmdapi.Config
}

// Installation is a chart of Liqo, read and rendered once for all fleets, because that takes a second. It is safe for
// concurrent use.
type Installation struct {
	withLiqo, bare served
	seeds          []*contents // the objects of the chart

	certificate tls.Certificate // of all leaves
	authority   []byte          // who vouches for it: itself
}

// served is what a leaf serves.
type served struct {
	resources resources
	schemas   http.Handler
}

// Load reads a chart of this release of Liqo.
func Load(chart *kube.Chart, release binaries.LiqoRelease) (*Installation, error) {
	crds, err := chart.CRDs()
	if err != nil {
		return nil, err
	}
	i := &Installation{}
	if i.seeds, err = chart.Render(withRanges(Disjoint([]string{"leaf"}, release)[0], 0)); err != nil {
		return nil, err
	}
	if i.withLiqo, err = newServed(crds); err != nil {
		return nil, err
	}
	if i.bare, err = newServed(nil); err != nil {
		return nil, err
	}
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	if err != nil {
		return nil, err
	}
	i.authority = certificate
	i.certificate, err = tls.X509KeyPair(certificate, key)
	return i, err
}

// Most is the largest number of leaves: each can have ranges of its own.
const Most = 100

// Start starts leaves. Each has the ranges and the name of its spec, and Liqo unless the spec has none.
func (i *Installation) Start(specs []kube.Spec) (_ *Fleet, err error) {
	if len(specs) > Most {
		return nil, fmt.Errorf("a fleet has at most %d leaves, not %d", Most, len(specs))
	}
	ctx, stop := context.WithCancel(context.Background())
	f := &Fleet{stop: stop, Kubeconfig: clientcmdapi.NewConfig()}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	f.group, ctx = errgroup.WithContext(ctx)
	for number, spec := range specs {
		spec = withRanges(spec, number)
		f.Specs = append(f.Specs, spec)
		l, err := i.startLeaf(ctx, f.group, spec)
		if err != nil {
			return nil, err
		}
		f.leaves = append(f.leaves, l)
		address, err := f.serve(ctx, l, i.certificate)
		if err != nil {
			return nil, err
		}
		f.Kubeconfig.Clusters[l.name] = &clientcmdapi.Cluster{
			Server: "https://" + address, CertificateAuthorityData: i.authority,
		}
		f.Kubeconfig.AuthInfos[l.name] = &clientcmdapi.AuthInfo{Token: l.token}
		f.Kubeconfig.Contexts[l.name] = &clientcmdapi.Context{Cluster: l.name, AuthInfo: l.name}
	}
	return f, nil
}

// startLeaf starts the controllers of a leaf.
func (i *Installation) startLeaf(ctx context.Context, group *errgroup.Group, spec kube.Spec) (*leaf, error) {
	served := i.bare
	if spec.HasLiqo() {
		served = i.withLiqo
	}
	l := &leaf{
		name: spec.Name, token: rand.Text(), served: served, store: newStore(served.resources),
		requests: map[Request]int{},
	}
	controller, err := newController(l)
	if err != nil {
		return nil, err
	}
	changes := l.store.watchAll(ctx)
	for _, namespace := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem} {
		if err := controller.ensure(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
			return nil, err
		}
	}
	if spec.HasLiqo() {
		if err := controller.install(spec, i.seeds); err != nil {
			return nil, err
		}
	}
	group.Go(func() error { return controller.run(ctx, changes) })
	return l, nil
}

// serve starts the server of a leaf, which ends with ctx, and returns its address.
func (f *Fleet) serve(ctx context.Context, l *leaf, certificate tls.Certificate) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{
		Handler: l, ReadHeaderTimeout: time.Minute, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
		ErrorLog: log.New(io.Discard, "", 0), // clients may go at any time
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				f.connections.Add(1)
			}
		},
	}
	context.AfterFunc(ctx, func() { _ = server.Close() }) // who uses it notices
	f.group.Go(func() error {
		if err := server.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("leaf %s: %w", l.name, err)
		}
		return nil
	})
	return listener.Addr().String(), nil
}

// Requests returns how many requests of each kind the leaves have got.
func (f *Fleet) Requests() map[Request]int {
	requests := map[Request]int{}
	for _, l := range f.leaves {
		l.mu.Lock()
		maps.Copy(requests, l.requests)
		l.mu.Unlock()
	}
	return requests
}

// Connections returns how many connections the leaves have accepted.
func (f *Fleet) Connections() int { return int(f.connections.Load()) }

// Close stops all leaves. Its error is the first one of any leaf, which also ends all others.
func (f *Fleet) Close() error {
	f.stop()
	return f.group.Wait()
}

func newServed(crds []*apiextensionsv1.CustomResourceDefinition) (served, error) {
	all, err := newResources(crds)
	if err != nil {
		return served{}, err
	}
	schemas, err := newSchemas(crds)
	return served{all, schemas}, err
}

// Disjoint describes leaves with these names. Each has pods in a range of its own.
func Disjoint(names []string, release binaries.LiqoRelease) []kube.Spec {
	const firstPodCIDR = 100
	specs := make([]kube.Spec, len(names))
	for i, name := range names {
		podCIDR := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(firstPodCIDR + i)}), 16)
		specs[i] = kube.Spec{Name: name, Liqo: release, PodCIDR: podCIDR}
	}
	return specs
}

// withRanges adds the ranges that a leaf does not give. The one of its external addresses belongs to its number, so
// Liqo remaps none of them.
func withRanges(spec kube.Spec, number int) kube.Spec {
	if !spec.ExternalCIDR.IsValid() {
		spec.ExternalCIDR = netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 168, byte(number)}), 24)
	}
	if !spec.ServiceCIDR.IsValid() {
		spec.ServiceCIDR = netip.MustParsePrefix("10.96.0.0/16")
	}
	return spec
}

// install creates the objects of Liqo's chart. They were rendered for another leaf. They differ in the cluster's ID and
// its ranges only.
func (c *controller) install(spec kube.Spec, seeds []*contents) error {
	const namespace = "liqo"
	if err := c.ensure(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		return err
	}
	ranges := map[string]netip.Prefix{
		"pod-cidr": spec.PodCIDR, "external-cidr": spec.ExternalCIDR, "service-cidr": spec.ServiceCIDR,
	}
	for _, seed := range seeds {
		r := c.resources.ofKind(seed.GroupVersionKind())
		if r == nil {
			continue // the provider does not use it
		}
		one := seed.DeepCopy()
		if r.namespaced && one.GetNamespace() == "" {
			one.SetNamespace(namespace)
		}
		if one.GroupVersionKind() == v1.WithKind("ConfigMap") && one.GetName() == "liqo-clusterid-configmap" {
			one.Object["data"] = map[string]any{"CLUSTER_ID": spec.Name}
		}
		if cidr, ok := ranges[one.GetName()]; ok && one.GroupVersionKind() == networkKind {
			one.Object["spec"] = map[string]any{"cidr": cidr.String()}
		}
		_, err := c.store.write(r, key(one), func(present *contents) (*contents, error) {
			return r.update("", present, one, "helm")
		})
		if err != nil {
			return err
		}
	}
	return nil
}
