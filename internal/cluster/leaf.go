package cluster

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
	"k8s.io/client-go/util/connrotation"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
)

// Leaf is one connected cluster. It is safe for concurrent use.
type Leaf struct {
	// Name is what the user calls it.
	Name string
	// ID is Liqo's cluster ID, by which other clusters know the leaf. People choose it, so clusters of two environments
	// may have the same one.
	ID liqov1beta1.ClusterID
	// UID is the UID of the object in which Liqo keeps the ID. No two clusters have the same one. It changes when Liqo is
	// installed again.
	UID types.UID
	// LiqoNamespace is the namespace in which Liqo runs.
	LiqoNamespace string

	// Events reports changes in the cache.
	Events Events

	clients         Clients
	credentialsFrom string           // the name of the leaf that has its credentials, or empty
	wallClock       func() time.Time // of this machine, without the monotonic clock
	health          *health
	clock           *clock
	facts           sync.Map // of [Once]: a [Memo] for each type of facts, keyed by the type
}

// Clients are what a leaf is asked with.
type Clients struct {
	// Cached reads from the cache. It sees only objects with Liqo's label of a remote cluster's ID. The first read of a
	// kind starts that kind's cache.
	Cached client.Reader
	// Live asks the API server.
	Live client.WithWatch
	// Documents asks the API server for what is no object, such as schemas.
	Documents rest.Interface
}

// New returns a leaf that uses existing clients, for example those of a test. See [Leaf] for what each must be.
func New(name string, id liqov1beta1.ClusterID, liqoNamespace string, clients Clients, events Events) *Leaf {
	return &Leaf{
		Name: name, ID: id, LiqoNamespace: liqoNamespace,
		clients: clients, Events: events, health: newHealth(),
		clock: &clock{}, wallClock: func() time.Time { return time.Now().Round(0) },
	}
}

// Clients returns the clients of a leaf, for a test to use or to replace. This program asks a leaf by its functions
// only.
func (l *Leaf) Clients() *Clients { return &l.clients }

// Now returns the time by the clock of the leaf's API server, to within a second.
func (l *Leaf) Now() time.Time { return l.clock.now() }

// Absent returns a leaf that no longer exists. It has a name and an ID for messages, and no clients.
func Absent(name, id string) *Leaf {
	return &Leaf{Name: name, ID: liqov1beta1.ClusterID(id), health: newHealth(), clock: &clock{}}
}

// assemble returns a leaf whose ID is not known yet, and the cache that it reads from. All its clients share one set of
// connections. The first request goes through first. The plugin may be nil.
func assemble(
	name string, config *rest.Config, plugin *access.Plugin, health *health, first transport.WrapperFunc,
) (*Leaf, cache.Cache, error) {
	clock := &clock{}
	connections := connrotation.NewDialer(dial)
	config.Dial = connections.DialContext
	config.Wrap(nameProxies)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &fenced{next, connections.CloseAll} })
	config.Wrap(first)
	config.Wrap(clock.watch)
	config.Wrap(refuseStrangers)
	config.Wrap(limitAnswers(health.giveUp))
	settings, err := config.TransportConfig()
	if err != nil {
		return nil, nil, err
	}
	if plugin != nil {
		plugin.Renewed = connections.CloseAll
		settings.Wrap(plugin.Authorize)
		settings.TLS.GetCertHolder = &transport.GetCertHolder{GetCert: plugin.Certificate}
	}
	authorized, err := transport.New(settings)
	if err != nil {
		return nil, nil, err
	}
	httpClient := &http.Client{Transport: renew(authorized)}
	scheme := sharedScheme()
	mapper, err := newRESTMapper(config, httpClient)
	if err != nil {
		return nil, nil, err
	}
	objects, err := cache.New(config, cacheOptions(httpClient, scheme, mapper, health))
	if err != nil {
		return nil, nil, err
	}
	live, err := client.NewWithWatch(config, client.Options{HTTPClient: httpClient, Scheme: scheme, Mapper: mapper})
	if err != nil {
		return nil, nil, err
	}
	prompt := promptCache{objects, scheme, health}
	plain := rest.CopyConfig(config)
	plain.NegotiatedSerializer = clientgoscheme.Codecs.WithoutConversion() // for the API server's errors
	documents, err := rest.UnversionedRESTClientForConfigAndClient(plain, httpClient)
	if err != nil {
		return nil, nil, err
	}
	leaf := New(name, "", "", Clients{prompt, paged{live}, documents}, informerEvents{prompt})
	leaf.health, leaf.clock = health, clock
	return leaf, objects, nil
}

// dial opens a connection as client-go does, except that the end of the connection drops what is not sent yet. A write
// of an operation that has lost its lease must not arrive later, see [WithFence].
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	connection, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		if err := tcp.SetLinger(0); err != nil {
			return nil, errors.Join(err, connection.Close())
		}
	}
	return connection, nil
}
