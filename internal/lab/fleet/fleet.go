// Package fleet runs leaves that are no clusters: each is an HTTP server that answers what the provider asks of a
// Kubernetes API server, with a stand-in for Liqo's reactions. A hundred of them fit into one process. They are for
// figures of large fleets only. What is right is shown on real clusters, and so is that a leaf of a fleet answers as
// they do, by the package conformance.
package fleet

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
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

	// Kubeconfig has a context for each leaf, with the leaf's name.
	Kubeconfig *clientcmdapi.Config
}

// Most is the largest number of leaves: each has ranges of its own.
const Most = 100

// Start starts leaves with these names, on which a chart of Liqo is installed.
func Start(names []string, chart *kube.Chart, release binaries.LiqoRelease) (_ *Fleet, err error) {
	if len(names) > Most {
		return nil, fmt.Errorf("a fleet has at most %d leaves, not %d", Most, len(names))
	}
	crds, err := chart.CRDs()
	if err != nil {
		return nil, err
	}
	seeds, err := chart.Render(specOf("leaf", 0, release))
	if err != nil {
		return nil, err
	}
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	f := &Fleet{stop: stop, Kubeconfig: clientcmdapi.NewConfig()}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	f.group, ctx = errgroup.WithContext(ctx)
	managers, resources := newManagers(), newResources(crds)
	schemas, err := newSchemas(crds)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		l := &leaf{
			name: name, token: rand.Text(), resources: resources, schemas: schemas, managers: managers,
			store: newStore(resources), requests: map[Request]int{},
		}
		f.leaves = append(f.leaves, l)
		controller := &controller{leaf: l}
		changes := l.store.watchAll(ctx)
		if err := controller.install(specOf(name, i, release), seeds); err != nil {
			return nil, err
		}
		f.group.Go(func() error { return controller.run(ctx, changes) })
		address, err := f.serve(ctx, l, pair)
		if err != nil {
			return nil, err
		}
		f.Kubeconfig.Clusters[name] = &clientcmdapi.Cluster{
			Server: "https://" + address, CertificateAuthorityData: certificate,
		}
		f.Kubeconfig.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: l.token}
		f.Kubeconfig.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	}
	return f, nil
}

// specOf describes a leaf by its number. Its pods and its external addresses have ranges of their own, so Liqo would
// remap none of them.
func specOf(name string, number int, release binaries.LiqoRelease) kube.Spec {
	const firstPodCIDR = 100
	return kube.Spec{
		Name: name, Liqo: release,
		PodCIDR:      netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(firstPodCIDR + number)}), 16),
		ExternalCIDR: netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 168, byte(number)}), 24),
		ServiceCIDR:  netip.MustParsePrefix("10.96.0.0/16"),
	}
}

// install creates the objects of Liqo's chart. They were rendered for another leaf, because that takes long. They
// differ in the cluster's ID and its ranges only.
func (c *controller) install(spec kube.Spec, seeds []*contents) error {
	const namespace = "liqo"
	if err := c.ensure(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		return err
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
		switch {
		case one.GroupVersionKind() == v1.WithKind("ConfigMap") && one.GetName() == "liqo-clusterid-configmap":
			one.Object["data"] = map[string]any{"CLUSTER_ID": spec.Name}
		case one.GroupVersionKind() == networkKind && one.GetName() == "pod-cidr":
			one.Object["spec"] = map[string]any{"cidr": spec.PodCIDR.String()}
		case one.GroupVersionKind() == networkKind && one.GetName() == "external-cidr":
			one.Object["spec"] = map[string]any{"cidr": spec.ExternalCIDR.String()}
		}
		_, err := c.store.write(r, key(one), func(present *contents) (*contents, error) {
			return c.managers.update(r, "", present, one, "helm")
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// serve starts the server of a leaf, which ends with ctx, and returns its address.
func (f *Fleet) serve(ctx context.Context, l *leaf, certificate tls.Certificate) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{
		Handler: l, ReadHeaderTimeout: time.Minute, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
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
