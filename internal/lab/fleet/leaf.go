package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

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
	"k8s.io/apimachinery/pkg/version"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// leaf is the API server of one leaf.
type leaf struct {
	served

	name  string
	token string // of its only user
	store *store

	mu       sync.Mutex
	requests map[Request]int
}

// Request is a kind of request to a leaf.
type Request struct{ Leaf, Verb, Resource string }

// ServeHTTP implements [http.Handler].
func (l *leaf) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	if request.Header.Get("Authorization") != "Bearer "+l.token {
		l.fail(answer, apierrors.NewUnauthorized("Unauthorized"))
		return
	}
	asked, err := l.resources.newQuery(request)
	switch {
	case err != nil:
		l.fail(answer, err)
	case asked == nil:
		l.count("get", request.URL.Path)
		l.discover(answer, request)
	default:
		l.count(asked.Verb, asked.Resource)
		if err := l.serve(answer, request, asked); err != nil {
			l.fail(answer, err)
		}
	}
}

func (l *leaf) count(verb, resource string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests[Request{l.name, verb, resource}]++
}

// serve answers a request for objects.
func (l *leaf) serve(answer http.ResponseWriter, request *http.Request, asked *query) error {
	var one object
	var err error
	status := http.StatusOK
	switch asked.Verb {
	case "watch":
		return l.serveWatch(answer, request, asked)
	case "list":
		l.send(answer, http.StatusOK, asked.list(l.store.list(asked.resource, asked.selects)))
		return nil
	case "get":
		one, err = l.store.get(asked.resource, asked.key())
	case "create":
		one, err = l.create(request, asked)
		status = http.StatusCreated
	case "update":
		one, err = l.update(request, asked)
	case "patch":
		one, status, err = l.patch(request, asked)
	case "delete":
		one, err = l.delete(request, asked)
	default:
		err = apierrors.NewMethodNotSupported(asked.resource.GroupResource(), asked.Verb)
	}
	if err != nil {
		return err
	}
	l.send(answer, status, asked.shape(one))
	return nil
}

// discover answers a request for what the leaf serves.
func (l *leaf) discover(answer http.ResponseWriter, request *http.Request) {
	if strings.HasPrefix(request.URL.Path, schemaPath) {
		l.schemas.ServeHTTP(answer, request)
		return
	}
	path := strings.Trim(request.URL.Path, "/")
	gv, err := schema.ParseGroupVersion(strings.TrimPrefix(strings.TrimPrefix(path, "apis/"), "api/"))
	if served := l.resources.in(gv); err == nil && served != nil {
		l.send(answer, http.StatusOK, served)
		return
	}
	switch path {
	case "version":
		l.send(answer, http.StatusOK, version.Info{Major: "1", Minor: "35", GitVersion: "v1.35.4"})
	case "api":
		l.send(answer, http.StatusOK, &metav1.APIVersions{
			TypeMeta: metav1.TypeMeta{Kind: "APIVersions", APIVersion: "v1"}, Versions: []string{v1.Version},
		})
	case "apis":
		l.send(answer, http.StatusOK, l.resources.groups())
	default:
		l.fail(answer, apierrors.NewNotFound(schema.GroupResource{}, path))
	}
}

func (l *leaf) fail(answer http.ResponseWriter, err error) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		status = apierrors.NewInternalError(err)
	}
	said := status.Status()
	said.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	l.send(answer, int(said.Code), said)
}

func (*leaf) send(answer http.ResponseWriter, status int, content any) {
	answer.Header().Set("Content-Type", "application/json")
	answer.WriteHeader(status)
	_ = json.NewEncoder(answer).Encode(content) // fails if the client is gone
}

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
