package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
)

// maxBody is the largest content of a request, as of an API server.
const maxBody = 3 << 20

// codecs read Kubernetes' own objects, which clients may send as protocol buffers.
var codecs = serializer.NewCodecFactory(scheme.Scheme).UniversalDeserializer()

// read returns the object in a request.
func read(request *http.Request, asked *query) (*contents, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, request.Body, maxBody))
	if err != nil {
		return nil, err
	}
	sent := &contents{}
	if decoded, _, decodeErr := codecs.Decode(body, nil, nil); decodeErr == nil {
		sent.Object, err = contentOf(decoded)
		sent.SetGroupVersionKind(asked.resource.gvk())
	} else {
		err = sent.UnmarshalJSON(body)
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if sent.GroupVersionKind() != asked.resource.gvk() {
		return nil, apierrors.NewBadRequest("the object is a " + sent.GroupVersionKind().String())
	}
	sent.SetNamespace(asked.Namespace)
	return sent, nil
}

// manager returns the field manager of a request.
func manager(request *http.Request) string {
	program, _, _ := strings.Cut(request.UserAgent(), "/")
	return cmp.Or(request.URL.Query().Get("fieldManager"), program)
}

func (l *leaf) create(request *http.Request, asked *query) (object, error) {
	sent, err := read(request, asked)
	if err != nil {
		return object{}, err
	}
	if request.URL.Query().Has("dryRun") {
		text, err := sent.MarshalJSON()
		return object{sent, text}, err
	}
	return l.store.write(asked.resource, key(sent), func(present *contents) (*contents, error) {
		if present != nil {
			return nil, apierrors.NewAlreadyExists(asked.resource.GroupResource(), sent.GetName())
		}
		if asked.resource.status {
			delete(sent.Object, "status")
		}
		complete(sent)
		return asked.resource.update("", nil, sent, manager(request))
	})
}

// complete adds what every API server adds to some objects.
func complete(sent *contents) {
	if sent.GroupVersionKind() == v1.WithKind("Namespace") {
		sent.Object["spec"] = map[string]any{"finalizers": []any{"kubernetes"}}
		sent.Object["status"] = map[string]any{"phase": "Active"}
	}
}

func (l *leaf) update(request *http.Request, asked *query) (object, error) {
	sent, err := read(request, asked)
	if err != nil {
		return object{}, err
	}
	return l.store.write(asked.resource, asked.key(), func(present *contents) (*contents, error) {
		return l.replace(asked, present, sent, manager(request))
	})
}

// replace returns an object that is replaced by another one, or whose status is, if the request is for that.
func (l *leaf) replace(asked *query, present, sent *contents, by string) (*contents, error) {
	if present == nil {
		return nil, apierrors.NewNotFound(asked.resource.GroupResource(), asked.Name)
	}
	if seen := sent.GetResourceVersion(); seen != "" && seen != present.GetResourceVersion() {
		return nil, apierrors.NewConflict(asked.resource.GroupResource(), asked.Name, errModified)
	}
	if uid := sent.GetUID(); uid != "" && uid != present.GetUID() {
		return nil, apierrors.NewConflict(asked.resource.GroupResource(), asked.Name, errOther(uid))
	}
	written := sent
	if asked.Subresource == "status" {
		written = present.DeepCopy()
		set(written, "status", sent.Object["status"])
	} else {
		if asked.resource.status {
			set(written, "status", present.Object["status"])
		}
		keep(present, written)
	}
	return asked.resource.update(asked.Subresource, present, written, by)
}

// keep keeps the metadata that clients can't change.
func keep(present, written *contents) {
	written.SetUID(present.GetUID())
	written.SetCreationTimestamp(present.GetCreationTimestamp())
	written.SetGeneration(present.GetGeneration())
	written.SetResourceVersion(present.GetResourceVersion())
	written.SetDeletionTimestamp(present.GetDeletionTimestamp())
	written.SetDeletionGracePeriodSeconds(present.GetDeletionGracePeriodSeconds())
}

func set(of *contents, field string, value any) {
	if value == nil {
		delete(of.Object, field)
		return
	}
	of.Object[field] = value
}

// errModified is what a client hears who has not seen the present version of an object.
var errModified = errors.New(
	"the object has been modified; please apply your changes to the latest version and try again")

func errOther(uid types.UID) error { return fmt.Errorf("the object has another UID than %s", uid) }

func (l *leaf) delete(request *http.Request, asked *query) (object, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, request.Body, maxBody))
	if err != nil {
		return object{}, err
	}
	options := &metav1.DeleteOptions{}
	if len(body) > 0 {
		kind := metav1.SchemeGroupVersion.WithKind("DeleteOptions")
		decoded, _, err := metainternal.Codecs.UniversalDeserializer().Decode(body, &kind, nil)
		if err != nil {
			return object{}, apierrors.NewBadRequest(err.Error())
		}
		options = decoded.(*metav1.DeleteOptions) //nolint:errcheck,forcetypeassert // of this kind
	}
	return l.store.delete(asked.resource, asked.key(), func(present *contents) error {
		return check(asked, present, options.Preconditions)
	})
}

// check returns an error if the object is not the one that a client wants to delete.
func check(asked *query, present *contents, conditions *metav1.Preconditions) error {
	switch {
	case conditions == nil:
		return nil
	case conditions.UID != nil && *conditions.UID != present.GetUID():
		return apierrors.NewConflict(asked.resource.GroupResource(), asked.Name, errOther(*conditions.UID))
	case conditions.ResourceVersion != nil && *conditions.ResourceVersion != present.GetResourceVersion():
		return apierrors.NewConflict(asked.resource.GroupResource(), asked.Name, errModified)
	default:
		return nil
	}
}
