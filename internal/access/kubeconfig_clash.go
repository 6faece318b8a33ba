package access

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// clashError means that two kubeconfigs define a cluster or user by the same name, and a context gets the wrong one.
type clashError struct {
	kind, name    string // what both define
	context       string
	taken, missed string // the files: that of the definition, and that of the context
}

// Error says what to write instead.
func (e *clashError) Error() string {
	return fmt.Sprintf("kubeconfigs %s and %s define two different %ss by the name %q, and the first one counts, so the "+
		"context %q of %s gets the other file's. Read each file for its own leaves: "+
		"`clusters = { %[5]q = { config_path = %[2]q, config_context = %[5]q } }`",
		e.taken, e.missed, e.kind, e.name, e.context, e.missed)
}

// checkClash returns a [clashError] if the context that the credentials choose gets a cluster or user of another file
// than its own, although its own file defines another one by the same name. Of several files, the first one that
// defines a name counts, and kubeadm, k3s and minikube give everybody's the same names. What the provider block sets
// instead is not compared.
func (c Credentials) checkClash(merged *clientcmdapi.Config) error {
	name := cmp.Or(c.Context, merged.CurrentContext)
	context := merged.Contexts[name]
	if context == nil {
		return nil
	}
	clash := clashError{context: name, missed: context.LocationOfOrigin}
	if cluster := merged.Clusters[context.Cluster]; cluster != nil && c.ContextCluster == "" && c.Host == "" {
		clash.kind, clash.name, clash.taken = "cluster", context.Cluster, cluster.LocationOfOrigin
		if err := clash.unless(func(own *clientcmdapi.Config) bool {
			return sameOrNone(cluster, own.Clusters[context.Cluster], func(c *clientcmdapi.Cluster) { c.LocationOfOrigin = "" })
		}); err != nil {
			return err
		}
	}
	if user := merged.AuthInfos[context.AuthInfo]; user != nil && c.ContextAuthInfo == "" && !c.identify() {
		clash.kind, clash.name, clash.taken = "user", context.AuthInfo, user.LocationOfOrigin
		return clash.unless(func(own *clientcmdapi.Config) bool {
			return sameOrNone(user, own.AuthInfos[context.AuthInfo], func(u *clientcmdapi.AuthInfo) { u.LocationOfOrigin = "" })
		})
	}
	return nil
}

// identify reports whether the credentials say who the user is.
func (c Credentials) identify() bool {
	return c.Token != "" || c.Username != "" || c.ClientCertificate != "" || c.Exec != nil
}

// unless returns the error unless the file of the context has the same definition, or none.
func (e *clashError) unless(same func(own *clientcmdapi.Config) bool) error {
	if e.taken == e.missed {
		return nil
	}
	own, err := clientcmd.LoadFromFile(e.missed)
	if err == nil {
		err = clientcmd.ResolveLocalPaths(own)
	}
	if err != nil || same(own) {
		return err
	}
	return e
}

// sameOrNone reports whether a definition is the same as that of another file, wherever they come from, or if the other
// file has none.
func sameOrNone[T any](taken, own *T, moved func(*T)) bool {
	if own == nil {
		return true
	}
	one, other := *taken, *own
	moved(&one)
	moved(&other)
	return equality.Semantic.DeepEqual(one, other)
}
