package access

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// A URL may hold a password, and errors of client-go repeat URLs. This file checks them first. Its errors have at most
// a URL's scheme.

// proxySchemes are those that client-go knows.
var proxySchemes = []string{"http", "https", "socks5"}

// CheckProxy returns an error if client-go can't use the URL of a proxy. The error follows what has the URL.
func CheckProxy(text string) error {
	proxy, err := url.Parse(text)
	switch {
	case err != nil, proxy.Opaque != "", proxy.Hostname() == "":
		return errors.New("is not a URL such as http://proxy.example.com:3128")
	case !slices.Contains(proxySchemes, proxy.Scheme):
		return fmt.Errorf("has the scheme %q; it must be http, https or socks5", proxy.Scheme)
	default:
		return nil
	}
}

// serverURL returns the URL of an API server. An address without a scheme means HTTPS, because API servers speak
// nothing else today. The error follows what has the address.
func serverURL(address string) (*url.URL, error) {
	server, _, err := rest.DefaultServerURL(address, "", schema.GroupVersion{}, true)
	if err != nil {
		return nil, errors.New("is not the URL of an API server")
	}
	return server, nil
}

// host returns the URL of the API server that the credentials name themselves, or an empty string.
func (c Credentials) host() (string, error) {
	if c.Host == "" {
		return "", nil
	}
	// Without a scheme, what precedes a colon looks like one.
	if strings.Contains(c.Host, "@") {
		return "", errors.New("`host` has a user name or a password in it. Set `username` and `password`")
	}
	server, err := serverURL(c.Host)
	if err != nil {
		return "", fmt.Errorf("`host` %q %w", c.Host, err)
	}
	return server.String(), nil
}

// checkURLs returns an error if client-go can't use the URLs of the cluster that the credentials are for.
func (c Credentials) checkURLs(kubeconfig *clientcmdapi.Config) error {
	name := c.ContextCluster
	if context := kubeconfig.Contexts[cmp.Or(c.Context, kubeconfig.CurrentContext)]; name == "" && context != nil {
		name = context.Cluster
	}
	cluster := cmp.Or(kubeconfig.Clusters[name], &clientcmdapi.Cluster{})
	if c.ProxyURL != "" {
		if err := CheckProxy(c.ProxyURL); err != nil {
			return fmt.Errorf("`proxy_url` %w", err)
		}
	} else if cluster.ProxyURL != "" {
		if err := CheckProxy(cluster.ProxyURL); err != nil {
			return fmt.Errorf("the `proxy-url` of cluster %q in %s %w", name, c.Kubeconfig.Describe(), err)
		}
	}
	if c.Host == "" && cluster.Server != "" {
		if _, err := serverURL(cluster.Server); err != nil {
			return fmt.Errorf("the `server` of cluster %q in %s %w", name, c.Kubeconfig.Describe(), err)
		}
	}
	return nil
}
