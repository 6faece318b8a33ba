package fleet

import (
	"io"
	"net/http"

	jsonpatch "github.com/evanphx/json-patch/v5"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructuredscheme"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/yaml"
)

// patch merges a request into an object. Only server-side apply can create one.
func (l *leaf) patch(request *http.Request, asked *query) (one object, status int, err error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, request.Body, maxBody))
	if err != nil {
		return object{}, 0, err
	}
	status = http.StatusOK
	one, err = l.store.write(asked.resource, asked.key(), func(present *contents) (*contents, error) {
		switch kind := request.Header.Get("Content-Type"); kind {
		case string(types.ApplyYAMLPatchType):
			if present == nil {
				status = http.StatusCreated
			}
			return l.apply(request, asked, present, body)
		case string(types.MergePatchType):
			return l.merge(request, asked, present, body)
		default:
			return nil, apierrors.NewGenericServerResponse(http.StatusUnsupportedMediaType, asked.Verb,
				asked.resource.GroupResource(), asked.Name, "the fleet knows no patch of the type "+kind, 0, true)
		}
	})
	return one, status, err
}

// merge merges a JSON merge patch (RFC 7386) into an object.
func (l *leaf) merge(
	request *http.Request, asked *query, present *contents, patch []byte,
) (*contents, error) {
	if present == nil {
		return nil, apierrors.NewNotFound(asked.resource.GroupResource(), asked.Name)
	}
	original, err := json.Marshal(present)
	if err != nil {
		return nil, err
	}
	merged, err := jsonpatch.MergePatch(original, patch)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	sent := &contents{}
	if err := sent.UnmarshalJSON(merged); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return l.replace(asked, present, sent, manager(request))
}

// apply merges the intent of a server-side apply into an object.
func (l *leaf) apply(
	request *http.Request, asked *query, present *contents, body []byte,
) (*contents, error) {
	intent := &contents{}
	encoded, err := yaml.YAMLToJSON(body)
	if err == nil {
		err = json.Unmarshal(encoded, &intent.Object) // with whole numbers, as everything else that is stored
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if asked.Subresource == "" && asked.resource.status {
		delete(intent.Object, "status")
	}
	intent.SetNamespace(asked.Namespace)
	force := request.URL.Query().Get("force") == "true"
	applied, err := asked.resource.apply(asked.Subresource, present, intent, manager(request), force)
	if err == nil && present == nil {
		complete(applied)
	}
	return applied, err
}

// newFieldManager returns what records for every field of a resource, or of a subresource of it, who has set it.
func newFieldManager(r *resource, subresource string) (*managedfields.FieldManager, error) {
	return managedfields.NewDefaultCRDFieldManager(managedfields.NewDeducedTypeConverter(),
		oneVersion{}, unstructuredscheme.NewUnstructuredDefaulter(), unstructuredscheme.NewUnstructuredCreator(),
		r.gvk(), r.GroupVersion(), subresource, nil)
}

// update records who has replaced an object. It has no former version if it is new.
func (r *resource) update(subresource string, former, written *contents, by string) (*contents, error) {
	return asContents(r.fields[subresource].Update(orEmpty(r, former, written), written, by))
}

// apply merges an intent into an object, which is nil if there is none.
func (r *resource) apply(
	subresource string, present, intent *contents, by string, force bool,
) (*contents, error) {
	return asContents(r.fields[subresource].Apply(orEmpty(r, present, intent), intent, by, force))
}

// orEmpty returns an object or, if there is none, one that is empty before it is written for the first time.
func orEmpty(r *resource, present, written *contents) *contents {
	if present == nil {
		present = &contents{}
		present.SetGroupVersionKind(r.gvk())
		present.SetNamespace(written.GetNamespace())
		present.SetName(written.GetName())
	}
	return present
}

// asContents returns the result of a field manager, which gets such objects only.
func asContents(result runtime.Object, err error) (*contents, error) {
	made, _ := result.(*contents)
	return made, err
}

// oneVersion is a converter for kinds that exist in one version only.
type oneVersion struct{ runtime.ObjectConvertor }

// ConvertToVersion implements [runtime.ObjectConvertor].
func (oneVersion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}
