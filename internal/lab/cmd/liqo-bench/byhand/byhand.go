// Package byhand does the same to two leaves as liqoctl and the provider, with nothing in between.
// It is the lower limit for both. It also removes what liqoctl leaves.
package byhand

import (
	"fmt"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// liqoNamespace is the namespace of Liqo in the lab.
const liqoNamespace = "liqo"

// scheme has the kinds that this package reads and writes.
var scheme = runtime.NewScheme()

func init() {
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, liqov1beta1.AddToScheme, networkingv1beta1.AddToScheme, ipamv1alpha1.AddToScheme,
	} {
		utilruntime.Must(add(scheme))
	}
}

// Leaf is one cluster of a lab.
type Leaf struct {
	ID liqov1beta1.ClusterID

	client client.WithWatch
	kube   kubernetes.Interface // for Liqo's functions
}

// NewLeaf returns the cluster of a context of a kubeconfig. In the lab, the name of the context is
// also the cluster ID.
func NewLeaf(kubeconfig, context string) (*Leaf, error) {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: kubeconfig},
		&clientcmd.ConfigOverrides{CurrentContext: context},
	).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", context, err)
	}
	config.QPS = -1 // no limit, because there are no other users to protect
	config.WarningHandler = rest.NoWarnings{}
	leaf := &Leaf{ID: liqov1beta1.ClusterID(context)}
	if leaf.client, err = client.NewWithWatch(config, client.Options{Scheme: scheme}); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", context, err)
	}
	if leaf.kube, err = kubernetes.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", context, err)
	}
	return leaf, nil
}
