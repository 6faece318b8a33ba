package cluster

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
)

// A kubeconfig is more than data: it can run a program, read files, and ask for no check of certificates. Users trust
// their own kubeconfig with that, and not the kubeconfig in a Secret of a centre, which others may write. This file
// takes only data from it. Liqo writes nothing else (1.2.0, pkg/utils/kubeconfig).

// The fields that are taken, by their names in a kubeconfig.
var (
	clusterFields = []string{"server", "certificate-authority-data", "tls-server-name", "proxy-url"}
	userFields    = []string{"client-certificate-data", "client-key-data", "token"}
)

// givenCredentials are the data of the current context of a kubeconfig that somebody else has written.
type givenCredentials struct {
	source  string // where they are, for messages
	cluster clientcmdapi.Cluster
	user    clientcmdapi.AuthInfo
}

// credentialsIn returns the credentials in the text of a kubeconfig. It refuses all fields that are not on the lists
// above. The error is a [noIdentityError] with their names, never with a value.
func credentialsIn(text []byte, source string) (givenCredentials, error) {
	refuse := func(format string, args ...any) (givenCredentials, error) {
		return givenCredentials{}, &noIdentityError{
			id:      "identity-kubeconfig-refused",
			problem: fmt.Sprintf("%s has a kubeconfig that Liqo does not write: ", source) + fmt.Sprintf(format, args...),
			advice: "Find out who has changed the Secret, and delete it: Liqo's controller-manager then writes it again. " +
				"Or give the cluster credentials of its own.",
		}
	}
	config, err := clientcmd.Load(text)
	if err != nil {
		return refuse("it can't be parsed")
	}
	context := config.Contexts[config.CurrentContext]
	if context == nil || config.Clusters[context.Cluster] == nil || config.AuthInfos[context.AuthInfo] == nil {
		return refuse("it has no current context with a cluster and a user")
	}
	cluster, user := config.Clusters[context.Cluster], config.AuthInfos[context.AuthInfo]
	refused := append(fieldsBeyond(cluster, "cluster.", clusterFields), fieldsBeyond(user, "user.", userFields)...)
	if len(refused) > 0 {
		return refuse("it sets %s, which is not taken from a Secret", strings.Join(refused, ", "))
	}
	if server, err := url.Parse(cluster.Server); err != nil || server.Scheme != "https" || server.Host == "" ||
		server.User != nil {
		return refuse("its `server` is not the https URL of an API server")
	}
	if cluster.ProxyURL != "" {
		if err := access.CheckProxy(cluster.ProxyURL); err != nil {
			return refuse("its `proxy-url` %v", err)
		}
	}
	return givenCredentials{
		source: source,
		cluster: clientcmdapi.Cluster{
			Server: cluster.Server, CertificateAuthorityData: cluster.CertificateAuthorityData,
			TLSServerName: cluster.TLSServerName, ProxyURL: cluster.ProxyURL,
		},
		user: clientcmdapi.AuthInfo{
			ClientCertificateData: user.ClientCertificateData, ClientKeyData: user.ClientKeyData, Token: user.Token,
		},
	}, nil
}

// fieldsBeyond returns the names of the fields that are set and not among those that are taken, with a prefix. A field
// that a later version of client-go knows is among them, too.
func fieldsBeyond(part any, prefix string, taken []string) []string {
	var names []string
	value := reflect.ValueOf(part).Elem()
	for i := range value.NumField() {
		name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
		if name != "-" && isSet(value.Field(i)) && !slices.Contains(taken, name) {
			names = append(names, prefix+name)
		}
	}
	return names
}

func isSet(field reflect.Value) bool {
	if field.Kind() == reflect.Map || field.Kind() == reflect.Slice {
		return field.Len() > 0 // client-go makes empty ones
	}
	return !field.IsZero()
}

// kubeconfig returns a kubeconfig of these credentials, for an entry of `clusters`. If the entry has a host, it has the
// whole way to the API server: then the proxy is not that of the Secret either.
func (g givenCredentials) kubeconfig(entry access.Credentials) (access.Kubeconfig, error) {
	const name = "leaf"
	cluster := g.cluster
	if entry.Host != "" {
		cluster.ProxyURL = ""
	}
	config := clientcmdapi.NewConfig()
	config.Clusters[name], config.AuthInfos[name] = &cluster, &g.user
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	content, err := clientcmd.Write(*config)
	return access.Kubeconfig{Content: string(content), Description: g.source}, err
}

// expiry returns when the client certificate expires, or the zero time if there is none that can be read.
func (g givenCredentials) expiry() time.Time {
	certificates, err := cert.ParseCertsPEM(g.user.ClientCertificateData)
	if err != nil || len(certificates) == 0 {
		return time.Time{}
	}
	return certificates[0].NotAfter
}
