package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/version"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The functions in this file are the door to a leaf. Each sends one request, or reads the cache, unless it says
// otherwise. All errors are explained, as by [Leaf.Explain].

// FieldManager is the provider's field manager for all writes.
const FieldManager = "terraform-provider-liqo"

// Get reads an object from the API server, and reports whether it exists.
func (l *Leaf) Get(ctx context.Context, key client.ObjectKey, object client.Object) (exists bool, err error) {
	err = l.Read(ctx, key, object)
	return err == nil, IgnoreAbsent(err)
}

// Read is [Leaf.Get] for an object that must exist. If it does not, that is an error.
func (l *Leaf) Read(ctx context.Context, key client.ObjectKey, object client.Object) error {
	return l.Explain(l.clients.Live.Get(ctx, key, object))
}

// GetCached reads an object from the cache, and reports whether it is there.
func (l *Leaf) GetCached(ctx context.Context, key client.ObjectKey, object client.Object) (exists bool, err error) {
	err = l.clients.Cached.Get(ctx, key, object)
	return err == nil, l.Explain(IgnoreAbsent(err))
}

// GetWhole reads an object from the API server with the fields that its type does not have. It is nil if it does not
// exist.
func (l *Leaf) GetWhole(ctx context.Context, object client.Object) (*unstructured.Unstructured, error) {
	kind, err := l.KindOf(object)
	if err != nil {
		return nil, err
	}
	whole := &unstructured.Unstructured{}
	whole.SetGroupVersionKind(kind)
	if exists, err := l.Get(ctx, client.ObjectKeyFromObject(object), whole); !exists {
		return nil, err
	}
	return whole, nil
}

// IsAbsent reports whether an error means that an object does not exist. An API server that does not know the kind, for
// example because it has just started, also answers 404, and so may a proxy, but without the words of Kubernetes.
func IsAbsent(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// IgnoreAbsent returns nil for an error that [IsAbsent], and any other one unchanged.
func IgnoreAbsent(err error) error {
	if IsAbsent(err) {
		return nil
	}
	return err
}

// List lists objects at the API server.
func (l *Leaf) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	return l.Explain(l.clients.Live.List(ctx, list, options...))
}

// ListKnown is List for a kind that the API server need not know. Then there are no objects.
func (l *Leaf) ListKnown(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	err := l.clients.Live.List(ctx, list, options...)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return nil
	}
	return l.Explain(err)
}

// ListCached lists objects in the cache.
func (l *Leaf) ListCached(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	return l.Explain(l.clients.Cached.List(ctx, list, options...))
}

// Create creates an object.
func (l *Leaf) Create(ctx context.Context, object client.Object) error {
	return l.Explain(l.clients.Live.Create(ctx, object, client.FieldOwner(FieldManager)))
}

// TryCreate creates an object as a dry run. [Answer] has why the API server would not do so.
func (l *Leaf) TryCreate(ctx context.Context, object client.Object) error {
	return l.Explain(l.clients.Live.Create(ctx, object, client.DryRunAll))
}

// Delete asks for the deletion of an object, which need not exist.
func (l *Leaf) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	return l.Explain(IgnoreAbsent(l.clients.Live.Delete(ctx, object, options...)))
}

// Patch changes an object, and stores the result in it. It repeats the request as [Leaf.Persist]. It does not wait for
// the cache, as [Leaf.Edit] does.
func (l *Leaf) Patch(
	ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption,
) error {
	options = append([]client.PatchOption{client.FieldOwner(FieldManager)}, options...)
	return l.Persist(ctx, func() error { return l.clients.Live.Patch(ctx, object, patch, options...) })
}

// PatchPart changes a subresource of an object.
func (l *Leaf) PatchPart(ctx context.Context, part string, object client.Object, patch client.Patch) error {
	return l.Explain(l.clients.Live.SubResource(part).Patch(ctx, object, patch, client.FieldOwner(FieldManager)))
}

// TryPatch changes an object as a dry run. [Answer] has why the API server would not do so.
func (l *Leaf) TryPatch(ctx context.Context, object client.Object, patch client.Patch) error {
	return l.Explain(l.clients.Live.Patch(ctx, object, patch, client.DryRunAll))
}

// ApplyFields writes the fields of an object by server-side apply in the name of a field manager, and stores the result
// in it. It repeats the request as [Leaf.Persist]. It does not wait for the cache, as [Leaf.Apply] does.
func (l *Leaf) ApplyFields(ctx context.Context, fields *unstructured.Unstructured, manager string) error {
	return l.Persist(ctx, func() error {
		return l.clients.Live.Apply(ctx, client.ApplyConfigurationFromUnstructured(fields),
			client.FieldOwner(manager), client.ForceOwnership)
	})
}

// Document reads a document of the API server in JSON, which has this content.
func (l *Leaf) Document(ctx context.Context, content, path string) ([]byte, error) {
	answer := l.clients.Documents.Get().AbsPath(path).SetHeader("Accept", runtime.ContentTypeJSON).Do(ctx)
	err := answer.Error() // Raw's error would be without the API server's words
	if apierrors.IsNotFound(err) {
		err = fmt.Errorf("the API server has no %s: %w", content, err)
	}
	if err != nil {
		return nil, l.Explain(err)
	}
	return answer.Raw()
}

// KubernetesVersion returns the version of the leaf's API server, such as v1.35.4.
func (l *Leaf) KubernetesVersion(ctx context.Context) (string, error) {
	document, err := l.Document(ctx, "version", "/version")
	if err != nil {
		return "", err
	}
	var served version.Info
	if err := json.Unmarshal(document, &served); err != nil {
		return "", l.Explain(fmt.Errorf("unable to parse the server version: %w", err))
	}
	return served.GitVersion, nil
}

// Answer returns what an API server has answered to a request that it did not grant, in its own words. It is empty if
// the error is none of an API server.
func Answer(err error) string {
	var answer apierrors.APIStatus
	if errors.As(err, &answer) {
		return answer.Status().Message
	}
	return ""
}
