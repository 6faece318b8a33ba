package fleet

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/handler3"
	"k8s.io/kube-openapi/pkg/spec3"
)

// resource is a type of objects that a leaf serves.
type resource struct {
	schema.GroupVersionResource

	kind       string
	namespaced bool
	status     bool // it has a subresource for its status
	generation bool // its objects count the changes of their spec

	fields map[string]*managedfields.FieldManager // by the name of the subresource, empty for the resource itself
}

func (r *resource) gvk() schema.GroupVersionKind { return r.GroupVersion().WithKind(r.kind) }

// resources are the types that a leaf serves. They are keyed by group and name.
type resources map[schema.GroupResource]*resource

// newResources returns Kubernetes' own resources that the provider uses, and custom ones.
func newResources(crds []*apiextensionsv1.CustomResourceDefinition) (resources, error) {
	all := resources{}
	for _, builtIn := range []struct {
		schema.GroupVersion
		name, kind                     string
		namespaced, status, generation bool
	}{
		{v1, "namespaces", "Namespace", false, true, false},
		{v1, "nodes", "Node", false, true, false},
		{v1, "configmaps", "ConfigMap", true, false, false},
		{v1, "secrets", "Secret", true, false, false},
		{v1, "services", "Service", true, true, false},
		{v1, "pods", "Pod", true, true, false},
		{v1, "events", "Event", true, false, false},
		{apps, "deployments", "Deployment", true, true, true},
		{coordination, "leases", "Lease", true, false, false},
		{discovery, "endpointslices", "EndpointSlice", true, false, true},
	} {
		all.add(&resource{
			GroupVersionResource: builtIn.WithResource(builtIn.name), kind: builtIn.kind,
			namespaced: builtIn.namespaced, status: builtIn.status, generation: builtIn.generation,
		})
	}
	for _, crd := range crds {
		for _, version := range crd.Spec.Versions {
			if !version.Storage {
				continue
			}
			gv := schema.GroupVersion{Group: crd.Spec.Group, Version: version.Name}
			all.add(&resource{
				GroupVersionResource: gv.WithResource(crd.Spec.Names.Plural), kind: crd.Spec.Names.Kind, generation: true,
				namespaced: crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
				status:     version.Subresources != nil && version.Subresources.Status != nil,
			})
		}
	}
	for _, one := range all {
		one.fields = map[string]*managedfields.FieldManager{}
		for _, subresource := range []string{"", "status"} {
			fields, err := newFieldManager(one, subresource)
			if err != nil {
				return nil, err
			}
			one.fields[subresource] = fields
		}
	}
	return all, nil
}

var (
	v1           = schema.GroupVersion{Version: "v1"}
	apps         = schema.GroupVersion{Group: "apps", Version: "v1"}
	coordination = schema.GroupVersion{Group: "coordination.k8s.io", Version: "v1"}
	discovery    = schema.GroupVersion{Group: "discovery.k8s.io", Version: "v1"}
)

func (r resources) add(one *resource) { r[one.GroupResource()] = one }

// ofKind returns the resource of a kind, or nil if it is not served.
func (r resources) ofKind(kind schema.GroupVersionKind) *resource {
	for one := range maps.Values(r) {
		if one.gvk() == kind {
			return one
		}
	}
	return nil
}

// resourceOf returns the resource of a kind, or an error if it is not served.
func (r resources) resourceOf(kind schema.GroupVersionKind) (*resource, error) {
	if found := r.ofKind(kind); found != nil {
		return found, nil
	}
	return nil, apierrors.NewBadRequest("the fleet does not serve " + kind.String())
}

// in returns the resources of a group and version, as discovery lists them. It returns nil if nothing of them is
// served.
func (r resources) in(gv schema.GroupVersion) *metav1.APIResourceList {
	list := &metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: gv.String(),
	}
	verbs := metav1.Verbs{"create", "delete", "get", "list", "patch", "update", "watch"}
	byName := func(a, b *resource) int { return strings.Compare(a.Resource, b.Resource) }
	for _, one := range slices.SortedFunc(maps.Values(r), byName) {
		if one.GroupVersion() != gv {
			continue
		}
		served := metav1.APIResource{Name: one.Resource, Kind: one.kind, Namespaced: one.namespaced, Verbs: verbs}
		list.APIResources = append(list.APIResources, served)
		if one.status {
			served.Name, served.Verbs = one.Resource+"/status", metav1.Verbs{"get", "patch", "update"}
			list.APIResources = append(list.APIResources, served)
		}
	}
	if len(list.APIResources) == 0 {
		return nil
	}
	return list
}

// groups returns the groups of what is served, as discovery lists them. It does not list the one without a name.
func (r resources) groups() *metav1.APIGroupList {
	versions := map[schema.GroupVersion]bool{}
	for _, one := range r {
		versions[one.GroupVersion()] = one.Group != ""
	}
	list := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for gv, listed := range versions { // each group has one version
		if listed {
			served := metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version}
			list.Groups = append(list.Groups, metav1.APIGroup{
				Name: gv.Group, Versions: []metav1.GroupVersionForDiscovery{served}, PreferredVersion: served,
			})
		}
	}
	return list
}

// schemas serves the OpenAPI schemas of custom resources, from which clients see what a version of Liqo can do.
type schemas struct{ *handler3.OpenAPIService }

// schemaPath is where API servers list their schemas.
const schemaPath = "/openapi/v3"

func newSchemas(crds []*apiextensionsv1.CustomResourceDefinition) (*schemas, error) {
	groups := map[schema.GroupVersion][]*spec3.OpenAPI{}
	for _, crd := range crds {
		for _, version := range crd.Spec.Versions {
			document, err := builder.BuildOpenAPIV3(crd, version.Name, builder.Options{})
			if err != nil {
				return nil, err
			}
			gv := schema.GroupVersion{Group: crd.Spec.Group, Version: version.Name}
			groups[gv] = append(groups[gv], document)
		}
	}
	all := &schemas{handler3.NewOpenAPIService()}
	for gv, documents := range groups {
		merged, err := builder.MergeSpecsV3(documents...)
		if err != nil {
			return nil, err
		}
		all.UpdateGroupVersion("apis/"+gv.String(), merged)
	}
	return all, nil
}

// ServeHTTP implements [http.Handler].
func (s *schemas) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	if strings.TrimSuffix(request.URL.Path, "/") == schemaPath {
		s.HandleDiscovery(answer, request)
		return
	}
	s.HandleGroupVersion(answer, request)
}
