package cluster

import (
	"net/http"
	"sync"

	authv1beta1 "github.com/liqotech/liqo/apis/authentication/v1beta1"
	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	offloadingv1beta1 "github.com/liqotech/liqo/apis/offloading/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// FirewallConfigurationKind is the kind for which Liqo has no constant.
const FirewallConfigurationKind = "FirewallConfiguration"

// sharedScheme is the scheme of all leaves. To make one takes milliseconds, and it is never changed.
var sharedScheme = sync.OnceValue(NewScheme)

// NewScheme returns a scheme of only the kinds that the provider reads and writes.
func NewScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range append(offloadingKinds(),
		corev1.AddToScheme, appsv1.AddToScheme, coordinationv1.AddToScheme, networkingv1.AddToScheme,
		liqov1beta1.AddToScheme, authv1beta1.AddToScheme, networkingv1beta1.AddToScheme, ipamv1alpha1.AddToScheme,
	) {
		utilruntime.Must(add(scheme)) // fails only for types that contradict each other
	}
	return scheme
}

// newRESTMapper returns a mapper that knows the resource of each used kind without asking the API server, which saves a
// discovery per leaf. It asks only for the kinds of other gateway technologies.
func newRESTMapper(config *rest.Config, httpClient *http.Client) (meta.RESTMapper, error) {
	others, err := apiutil.NewDynamicRESTMapper(config, httpClient)
	if err != nil {
		return nil, err
	}
	return meta.FirstHitRESTMapper{MultiRESTMapper: meta.MultiRESTMapper{KnownKinds(), others}}, nil
}

// KnownKinds returns a mapper from each used kind to its resource. It does not contain the kinds of gateway
// technologies other than WireGuard.
func KnownKinds() meta.RESTMapper {
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, kind := range []string{"ConfigMap", "Event", "Pod", "Secret", "Service"} {
		mapper.Add(corev1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Namespace"), meta.RESTScopeRoot)
	mapper.Add(appsv1.SchemeGroupVersion.WithKind("Deployment"), meta.RESTScopeNamespace)
	mapper.Add(networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy"), meta.RESTScopeNamespace)
	mapper.Add(coordinationv1.SchemeGroupVersion.WithKind("Lease"), meta.RESTScopeNamespace)
	mapper.Add(liqov1beta1.GroupVersion.WithKind("ForeignCluster"), meta.RESTScopeRoot)
	for _, kind := range []string{authv1beta1.TenantKind, authv1beta1.IdentityKind, authv1beta1.ResourceSliceKind} {
		mapper.Add(authv1beta1.GroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	mapper.Add(ipamv1alpha1.SchemeGroupVersion.WithKind("Network"), meta.RESTScopeNamespace)
	for _, kind := range []string{
		networkingv1beta1.ConfigurationKind, networkingv1beta1.ConnectionKind,
		networkingv1beta1.GatewayServerKind, networkingv1beta1.GatewayClientKind,
		networkingv1beta1.WgGatewayServerKind, networkingv1beta1.WgGatewayClientKind,
		networkingv1beta1.WgGatewayServerTemplateKind, networkingv1beta1.WgGatewayClientTemplateKind,
		networkingv1beta1.RouteConfigurationKind, networkingv1beta1.InternalFabricKind, FirewallConfigurationKind,
	} {
		mapper.Add(networkingv1beta1.GroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	mapOffloading(mapper)
	// Its plural is irregular.
	publicKeys := networkingv1beta1.GroupVersion.WithResource(networkingv1beta1.PublicKeyResource)
	mapper.AddSpecific(networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.PublicKeyKind), publicKeys, publicKeys,
		meta.RESTScopeNamespace)
	return mapper
}

// offloadingKinds are functions that add to a scheme the kinds of pods that a centre offloads to its leaves.
func offloadingKinds() []func(*runtime.Scheme) error {
	return []func(*runtime.Scheme) error{offloadingv1beta1.AddToScheme, discoveryv1.AddToScheme}
}

// mapOffloading adds the resources of these kinds to a mapper.
func mapOffloading(mapper *meta.DefaultRESTMapper) {
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Node"), meta.RESTScopeRoot)
	mapper.Add(discoveryv1.SchemeGroupVersion.WithKind("EndpointSlice"), meta.RESTScopeNamespace)
	for _, kind := range []string{"NamespaceMap", "ShadowEndpointSlice"} {
		mapper.Add(offloadingv1beta1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
}
