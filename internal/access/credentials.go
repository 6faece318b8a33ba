package access

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Credentials say how to reach one cluster. They combine an optional kubeconfig with values that override it. The zero
// value selects the context with the leaf's name in the registry's kubeconfig.
type Credentials struct {
	Kubeconfig Kubeconfig

	Context         string // name of the kubeconfig's context; its current context if empty
	ContextCluster  string // name of a cluster of the kubeconfig, instead of the context's
	ContextAuthInfo string // name of a user of the kubeconfig, instead of the context's

	Host                 string // URL or host:port of the API server
	Username             string
	Password             string
	Token                string
	Insecure             bool   // accept any certificate of the API server
	TLSServerName        string // name to expect in the API server's certificate
	ClientCertificate    string // PEM
	ClientKey            string // PEM
	ClusterCACertificate string // PEM
	ProxyURL             string
	Exec                 *Exec

	// From is the name of the leaf, usually the centre, in which Liqo keeps the kubeconfig of this cluster. It replaces
	// Kubeconfig.
	From      string
	ClusterID string // by which that leaf knows this cluster; this leaf's name if empty

	// LiqoNamespace is the namespace in which Liqo runs in this cluster; the registry's if empty.
	LiqoNamespace string
}

// Exec is a credential plugin, a program that prints credentials, as in a kubeconfig's users[].user.exec.
type Exec struct {
	APIVersion string
	Command    string
	Args       []string
	Env        map[string]string // keyed by the variable's name
}

// String hides the values, so that no log or error message shows a secret by accident.
func (Credentials) String() string { return "credentials (hidden)" }

// GoString does the same for the %#v verb.
func (c Credentials) GoString() string { return c.String() }

// NeedKubeconfig reports whether the credentials need the registry's kubeconfig. They do if they have no kubeconfig
// of their own and no From, and either no host or the name of a context, cluster or user.
func (c Credentials) NeedKubeconfig() bool {
	names := c.Context != "" || c.ContextCluster != "" || c.ContextAuthInfo != ""
	return c.Kubeconfig.IsZero() && c.From == "" && (c.Host == "" || names)
}

// SayWhichCluster reports whether the credentials say which cluster they are for. The other fields, such as a token,
// only identify the user.
func (c Credentials) SayWhichCluster() bool {
	return !c.Kubeconfig.IsZero() || c.Host != "" || c.Context != "" || c.ContextCluster != "" || c.From != ""
}

// RESTConfig resolves the credentials to a client configuration. Errors name the wrong file or value, never its
// content.
func (c Credentials) RESTConfig() (*rest.Config, error) {
	kubeconfig, err := c.Kubeconfig.load()
	if err != nil {
		return nil, err
	}
	if err := c.checkNames(kubeconfig); err != nil {
		return nil, err
	}
	if err := c.checkClash(kubeconfig); err != nil {
		return nil, err
	}
	if err := c.checkURLs(kubeconfig); err != nil {
		return nil, err
	}
	overrides, err := c.overrides()
	if err != nil {
		return nil, err
	}
	config, err := clientcmd.NewDefaultClientConfig(*kubeconfig, overrides).ClientConfig()
	if err != nil {
		if clientcmd.IsEmptyConfig(err) {
			return nil, fmt.Errorf("%s has neither a current context nor a host to connect to: "+
				"set `config_context` or `host`", c.Kubeconfig.Describe())
		}
		return nil, fmt.Errorf("%s can't be used: %w", c.Kubeconfig.Describe(), err)
	}
	if config.AuthProvider != nil {
		return nil, fmt.Errorf("%s can't be used: its user has the `auth-provider` %q, which this provider does not have. "+
			"Give the user a program that prints credentials, as `exec`", c.Kubeconfig.Describe(), config.AuthProvider.Name)
	}
	if config.BearerToken, err = usableToken(config.BearerToken); err != nil {
		return nil, fmt.Errorf("%s can't be used: %w", c.Kubeconfig.Describe(), err)
	}
	return config, nil
}

// usableToken returns a token without the space around it, as kubectl does with one in a file. Editors, `echo` and
// stores of secrets add a line break. net/http refuses to send one, which would look as if the leaf did not answer.
func usableToken(token string) (string, error) {
	token = strings.TrimSpace(token)
	if !httpguts.ValidHeaderFieldValue(token) {
		return "", errors.New("the token has a line break or another control character inside, which no request can carry")
	}
	return token, nil
}

// checkNames finds a misspelt context, cluster or user before client-go reports it as a missing configuration.
func (c Credentials) checkNames(kubeconfig *clientcmdapi.Config) error {
	if _, ok := kubeconfig.Contexts[c.Context]; c.Context != "" && !ok {
		return fmt.Errorf("%s has no context %q; it has %s",
			c.Kubeconfig.Describe(), c.Context, trouble.Quoted(slices.Sorted(maps.Keys(kubeconfig.Contexts))))
	}
	if _, ok := kubeconfig.Clusters[c.ContextCluster]; c.ContextCluster != "" && !ok {
		return fmt.Errorf("%s has no cluster %q; it has %s",
			c.Kubeconfig.Describe(), c.ContextCluster, trouble.Quoted(slices.Sorted(maps.Keys(kubeconfig.Clusters))))
	}
	if _, ok := kubeconfig.AuthInfos[c.ContextAuthInfo]; c.ContextAuthInfo != "" && !ok {
		return fmt.Errorf("%s has no user %q; it has %s",
			c.Kubeconfig.Describe(), c.ContextAuthInfo, trouble.Quoted(slices.Sorted(maps.Keys(kubeconfig.AuthInfos))))
	}
	return nil
}

func (c Credentials) overrides() (*clientcmd.ConfigOverrides, error) {
	host, err := c.host()
	if err != nil {
		return nil, err
	}
	return &clientcmd.ConfigOverrides{
		CurrentContext: c.Context,
		Context:        clientcmdapi.Context{AuthInfo: c.ContextAuthInfo, Cluster: c.ContextCluster},
		AuthInfo: clientcmdapi.AuthInfo{
			Username:              c.Username,
			Password:              c.Password,
			Token:                 c.Token,
			ClientCertificateData: []byte(c.ClientCertificate),
			ClientKeyData:         []byte(c.ClientKey),
			Exec:                  c.Exec.config(),
		},
		ClusterInfo: clientcmdapi.Cluster{
			Server:                   host,
			InsecureSkipTLSVerify:    c.Insecure,
			TLSServerName:            c.TLSServerName,
			CertificateAuthorityData: []byte(c.ClusterCACertificate),
			ProxyURL:                 c.ProxyURL,
		},
	}, nil
}

// config converts to client-go's type. The plugin gets no terminal, because Terraform provides none.
func (e *Exec) config() *clientcmdapi.ExecConfig {
	if e == nil {
		return nil
	}
	config := &clientcmdapi.ExecConfig{
		APIVersion:      e.APIVersion,
		Command:         e.Command,
		Args:            e.Args,
		InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
	}
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		config.Env = append(config.Env, clientcmdapi.ExecEnvVar{Name: name, Value: e.Env[name]})
	}
	return config
}
