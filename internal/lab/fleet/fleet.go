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
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

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
		name: spec.Name, token: rand.Text(), served: served, managers: i.managers, store: newStore(served.resources),
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
