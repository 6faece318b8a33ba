package cluster

import (
	"context"
	"net/http"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// Discovery returns a client that reports what an API server serves. Its requests end with the context.
type Discovery func(context.Context) (discovery.DiscoveryInterface, error)

// newDiscovery returns the discovery of an API server. Client-go's own client takes no context, so that nothing could
// end its requests to an API server that does not answer.
func newDiscovery(config *rest.Config, httpClient *http.Client) Discovery {
	return func(ctx context.Context) (discovery.DiscoveryInterface, error) {
		within := roundTrip(func(request *http.Request) (*http.Response, error) {
			return httpClient.Transport.RoundTrip(request.WithContext(ctx)) // it has none of its caller
		})
		return discovery.NewDiscoveryClientForConfigAndClient(config, &http.Client{
			Transport: within, Timeout: httpClient.Timeout,
		})
	}
}

// KubernetesVersion returns the version of the leaf's API server, such as v1.35.4.
func (l *Leaf) KubernetesVersion(ctx context.Context) (string, error) {
	served, err := l.Discovery(ctx)
	if err != nil {
		return "", l.Explain(err)
	}
	info, err := served.ServerVersion()
	if err != nil {
		return "", l.Explain(err)
	}
	return info.GitVersion, nil
}
