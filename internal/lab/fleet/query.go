package fleet

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// query is what a request for objects asks for.
type query struct {
	*apirequest.RequestInfo

	resource *resource
	options  internalversion.ListOptions
	metadata bool // only of the objects, as PartialObjectMetadata
}

// paths reads the paths of requests as Kubernetes does.
var paths = apirequest.RequestInfoFactory{
	APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api"),
}

// newQuery reads a request. It returns nil if the request is not for objects.
func (r resources) newQuery(request *http.Request) (*query, error) {
	info, err := paths.NewRequestInfo(request)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if !info.IsResourceRequest {
		return nil, nil //nolint:nilnil // documented
	}
	metadata := strings.Contains(request.Header.Get("Accept"), "as=PartialObjectMetadata")
	asked := &query{RequestInfo: info, metadata: metadata}
	of := schema.GroupResource{Group: info.APIGroup, Resource: info.Resource}
	asked.resource = r[of]
	if asked.resource == nil || asked.resource.Version != info.APIVersion || !asked.resource.has(info.Subresource) {
		return nil, apierrors.NewGenericServerResponse(http.StatusNotFound, info.Verb, of, info.Name, "", 0, true)
	}
	if !asked.resource.namespaced { // the path of a namespace is also that of what it contains
		asked.Namespace = ""
	}
	err = metainternal.ParameterCodec.DecodeParameters(request.URL.Query(), metav1.SchemeGroupVersion, &asked.options)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if err := asked.checkFields(); err != nil {
		return nil, err
	}
	return asked, nil
}

// has reports whether there is a subresource with this name. The empty name is the resource itself.
func (r *resource) has(subresource string) bool {
	return subresource == "" || subresource == "status" && r.status
}

// checkFields returns an error if objects can't be selected by one of the fields.
func (q *query) checkFields() error {
	if q.options.FieldSelector == nil {
		return nil
	}
	for _, one := range q.options.FieldSelector.Requirements() {
		if one.Field != "metadata.name" && one.Field != "metadata.namespace" &&
			(one.Field != "spec.type" || q.Resource != "services") {
			return apierrors.NewBadRequest(fmt.Sprintf("field label not supported: %s", one.Field))
		}
	}
	return nil
}

// key names the object of a request for one object.
func (q *query) key() types.NamespacedName {
	return types.NamespacedName{Namespace: q.Namespace, Name: q.Name}
}

// selects reports whether a list or a watch is for an object.
func (q *query) selects(one object) bool {
	serviceType, _, _ := unstructured.NestedString(one.Object, "spec", "type") // checkFields lets only Services have it
	return (q.Namespace == "" || q.Namespace == one.GetNamespace()) &&
		(q.options.LabelSelector == nil || q.options.LabelSelector.Matches(labels.Set(one.GetLabels()))) &&
		(q.options.FieldSelector == nil || q.options.FieldSelector.Matches(fields.Set{
			"metadata.name": one.GetName(), "metadata.namespace": one.GetNamespace(), "spec.type": serviceType,
		}))
}

// fromTheStart reports whether a watch begins with all objects, and then says that these were all.
func (q *query) fromTheStart() bool {
	return q.options.SendInitialEvents != nil && *q.options.SendInitialEvents
}

// since is the version after which a watch begins. It is empty if the watch begins with all objects: the client then
// names only the oldest version in which it would take them.
func (q *query) since() string {
	if q.fromTheStart() {
		return ""
	}
	return q.options.ResourceVersion
}

// shape returns an object as the client wants to have it.
func (q *query) shape(one object) json.RawMessage {
	if !q.metadata {
		return one.json
	}
	partial := &contents{Object: map[string]any{"metadata": one.Object["metadata"]}}
	partial.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata"))
	encoded, _ := partial.MarshalJSON() // as all of the object could be encoded
	return encoded
}

// list returns a list of objects as the client wants to have it.
func (q *query) list(objects []object, version string) any {
	kind, apiVersion := q.resource.kind+"List", q.resource.GroupVersion().String()
	if q.metadata {
		kind, apiVersion = "PartialObjectMetadataList", metav1.SchemeGroupVersion.String()
	}
	items := make([]json.RawMessage, len(objects))
	for i, one := range objects {
		items[i] = q.shape(one)
	}
	return struct {
		metav1.TypeMeta `json:",inline"`
		metav1.ListMeta `json:"metadata"`

		Items []json.RawMessage `json:"items"`
	}{metav1.TypeMeta{Kind: kind, APIVersion: apiVersion}, metav1.ListMeta{ResourceVersion: version}, items}
}
