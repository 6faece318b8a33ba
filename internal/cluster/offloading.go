package cluster

import (
	offloadingv1beta1 "github.com/liqotech/liqo/apis/offloading/v1beta1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
)

// This file has the kinds that only concern the pods that a centre offloads to its leaves.

// offloadingKinds are functions that add these kinds to a scheme.
func offloadingKinds() []func(*runtime.Scheme) error {
	return []func(*runtime.Scheme) error{offloadingv1beta1.AddToScheme, discoveryv1.AddToScheme}
}

// mapOffloading adds their resources to a mapper.
func mapOffloading(mapper *meta.DefaultRESTMapper) {
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Node"), meta.RESTScopeRoot)
	mapper.Add(discoveryv1.SchemeGroupVersion.WithKind("EndpointSlice"), meta.RESTScopeNamespace)
	for _, kind := range []string{"NamespaceMap", "ShadowEndpointSlice"} {
		mapper.Add(offloadingv1beta1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
}
