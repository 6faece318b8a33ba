package direct

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// The request for direct connections is an annotation of the Service. The virtual kubelets of the centre react to it:
// they tell each leaf which of the addresses in its EndpointSlices are those of other leaves.
const (
	annotation = consts.UseDirectConnectionAnnotationKey
	requested  = "true"
	refused    = "false" // any other value is the same as no annotation
)

// Owner is a resource instance that requests direct connections. Kubernetes records each of them as a field manager of
// the annotation. So the annotation stays until the last owner withdraws its request.
type Owner struct {
	Token string // random
	// Claims means that the annotation is the owner's, whoever has set it. It is for an imported request.
	Claims bool
}

func (o Owner) manager() string { return managerPrefix + o.Token }

// managerPrefix begins the field manager of every [Owner].
const managerPrefix = cluster.FieldManager + "/"

// Request is the request for direct connections in the centre.
type Request struct {
	Exists bool // whether there is such a Service
	Set    bool // whether it requests direct connections

	service corev1.Service
}

// read reads the request from the centre.
func (s *Service) read(ctx context.Context) (Request, error) {
	var service corev1.Service
	if exists, err := s.Centre.Get(ctx, s.key(), &service); !exists {
		return Request{}, err
	}
	return Request{Exists: true, Set: requests(&service), service: service}, nil
}

// requests reports whether a Service requests direct connections.
func requests(service *corev1.Service) bool { return service.Annotations[annotation] == requested }

// Others returns who else has set the annotation, as the names of field managers, sorted.
func (r Request) Others(owner Owner) []string {
	return slices.DeleteFunc(r.managers(), func(manager string) bool { return manager == owner.manager() })
}

// managers returns the field managers that have set the annotation, sorted.
func (r Request) managers() []string {
	var all []string
	for _, one := range r.setters() {
		all = append(all, one.manager)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// setter is a field manager that has set the annotation.
type setter struct {
	manager string
	applies bool // by server-side apply, together with other fields
}

// setters returns who has set the annotation, and how.
func (r Request) setters() []setter {
	var all []setter
	for _, entry := range r.service.ManagedFields {
		if entry.FieldsV1 != nil && strings.Contains(string(entry.FieldsV1.Raw), `"f:`+annotation+`"`) {
			all = append(all, setter{entry.Manager, entry.Operation == metav1.ManagedFieldsOperationApply})
		}
	}
	return all
}

// DescribeManagers names field managers in words that users know.
func DescribeManagers(managers []string) string {
	names := make([]string, len(managers))
	for i, manager := range managers {
		names[i] = fmt.Sprintf("%q", manager)
		if strings.HasPrefix(manager, managerPrefix) {
			names[i] = fmt.Sprintf("another resource of this provider (%q)", manager)
		}
	}
	return trouble.Enumerate(names)
}

// write lets the owner set the annotation to a value, or remove its own request if the value is empty. Server-side
// apply keeps all other fields, and the annotation if someone else has set the same value. The UID makes sure that no
// Service is created.
func (s *Service) write(ctx context.Context, owner Owner, target Request, value string) (Request, error) {
	intent := &unstructured.Unstructured{}
	intent.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Service"))
	intent.SetNamespace(s.Namespace)
	intent.SetName(s.Name)
	intent.SetUID(target.service.UID)
	if value != "" {
		intent.SetAnnotations(map[string]string{annotation: value})
	}
	if err := s.Centre.ApplyFields(ctx, intent, owner.manager()); err != nil {
		return target, err
	}
	return s.read(ctx)
}

// patch sets the annotation to a JSON value, or removes it with null, whoever has set it. Kubernetes records the
// manager.
func (s *Service) patch(ctx context.Context, target Request, value, manager string) error {
	patch := fmt.Sprintf(`{"metadata":{"uid":%q,"annotations":{%q:%s}}}`, target.service.UID, annotation, value)
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: s.Name}}
	return s.Centre.Patch(ctx, service, client.RawPatch(types.MergePatchType, []byte(patch)), client.FieldOwner(manager))
}

// IsRequestedBy reports whether the Service exists and the owner has set the annotation.
func (s *Service) IsRequestedBy(ctx context.Context, owner Owner) (bool, error) {
	request, err := s.read(ctx)
	return request.IsOf(owner), err
}

// IsOf reports whether the owner has set the annotation.
func (r Request) IsOf(owner Owner) bool {
	return slices.Contains(r.managers(), owner.manager())
}
