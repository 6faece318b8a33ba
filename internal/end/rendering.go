package end

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	enutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/external-network/utils"
	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// gatewaySource is what Liqo makes the objects of a gateway from.
type gatewaySource struct {
	template *unstructured.Unstructured
	spec     map[string]any // of the gateway
}

// readSource reads what Liqo will make the objects of a gateway from when it becomes the desired one. There may be no
// gateway yet.
func (e *End) readSource(
	ctx context.Context, existing *liqo.Gateway, desired desiredGateway,
) (source gatewaySource, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		if source.template = desired.derived; source.template != nil {
			return nil
		}
		source.template, err = e.readTemplate(ctx, *desired.Template)
		return err
	})
	group.Go(func() (err error) {
		source.spec, err = e.settingsAfter(ctx, existing, desired)
		return err
	})
	err = group.Wait()
	return source, err
}

// renderGateway returns what Liqo will make of a WireGuard gateway when it becomes the desired one. There may be none
// yet.
func (e *End) renderGateway(ctx context.Context, existing *liqo.Gateway, desired desiredGateway) (parts, error) {
	source, err := e.readSource(ctx, existing, desired)
	if err != nil {
		return parts{}, err
	}
	return e.render(ctx, source, existing, desired)
}

// render renders the template of a WireGuard gateway as Liqo does. It reads the schemas that the leaf serves only if
// the gateway or its template has a field that not every version of Liqo has.
func (e *End) render(
	ctx context.Context, source gatewaySource, existing *liqo.Gateway, desired desiredGateway,
) (parts, error) {
	r := rendering{Name: desired.GetName(), Namespace: desired.GetNamespace(), ClusterID: string(e.Remote.ID)}
	if existing != nil {
		r.GatewayUID = string(existing.GetUID())
	}
	r.SecretName, _, _ = unstructured.NestedString(source.spec, "secretRef", "name")
	r.service.annotations, _, _ = unstructured.NestedStringMap(source.spec, "serviceAnnotations")
	r.service.labels, _, _ = unstructured.NestedStringMap(source.spec, "serviceLabels")
	if schema := specSchema(liqo.CommonSchemas(), desired); schema.Covers(source.spec) {
		r.Spec = schema.TemplateData(source.spec)
		if rendered, err := r.parts(source.template); err == nil {
			return rendered, nil
		}
	}
	schemas, err := liqo.SchemasOf(ctx, e.Leaf)
	if err != nil {
		return parts{}, err
	}
	r.Spec = specSchema(schemas, desired).TemplateData(source.spec)
	rendered, err := r.parts(source.template)
	if failure, ok := errors.AsType[*templateError](err); ok {
		return rendered, e.unrenderable(source.template, failure)
	}
	return rendered, err
}

// specSchema returns the schema of the spec of a gateway.
func specSchema(schemas liqo.Schemas, gateway desiredGateway) liqo.Schema {
	schema := schemas.GatewayServer
	if gateway.Role == liqo.ClientRole {
		schema = schemas.GatewayClient
	}
	return schema.Properties["spec"]
}

// settingsAfter returns the spec of a gateway after a change to the desired one. What the types of this program do not
// have stays as it is on the leaf. A gateway that only the cache still has is a new one.
func (e *End) settingsAfter(
	ctx context.Context, existing *liqo.Gateway, desired desiredGateway,
) (map[string]any, error) {
	after, err := runtime.DefaultUnstructuredConverter.ToUnstructured(desired.Spec)
	if err != nil || existing == nil {
		return after, err
	}
	before, err := runtime.DefaultUnstructuredConverter.ToUnstructured(existing.Spec)
	if err != nil {
		return nil, err
	}
	whole, err := e.Leaf.GetWhole(ctx, existing.Object)
	if whole == nil {
		return after, err
	}
	live, _, err := unstructured.NestedMap(whole.Object, "spec")
	return carry(live, before, after), err
}

// carry makes to live data the changes that lead from before to after. Live data may have more fields than these two.
func carry(live, before, after map[string]any) map[string]any {
	carried := map[string]any{}
	maps.Copy(carried, live)
	maps.DeleteFunc(carried, func(key string, _ any) bool {
		_, was := before[key]
		_, is := after[key]
		return was && !is
	})
	for key, value := range after {
		carried[key] = value
		if inner, ok := value.(map[string]any); ok {
			carried[key] = carry(fieldsOf(live[key]), fieldsOf(before[key]), inner)
		}
	}
	return carried
}

// fieldsOf returns the fields of a value, which has none if it is no object.
func fieldsOf(value any) map[string]any {
	fields, _ := value.(map[string]any)
	return fields
}

// rendering is what Liqo's templates of gateways refer to. Its fields have the names of Liqo's own.
type rendering struct {
	Spec       any // of the gateway, see [liqo.Schema.TemplateData]
	Name       string
	Namespace  string
	GatewayUID string
	ClusterID  string // of the other leaf
	SecretName string

	service metadata // that the gateway adds to its Service
}

// metadata is labels and annotations.
type metadata struct{ labels, annotations map[string]string }

// parts renders a template as Liqo does. The error is a [templateError].
func (r rendering) parts(template *unstructured.Unstructured) (parts, error) {
	var desired parts
	const root = "spec.template.spec"
	spec, _, err := unstructured.NestedMap(template.Object, strings.Split(root, ".")...)
	if err != nil {
		return desired, &templateError{place: root, reason: "it has something else than fields"}
	}
	if err := r.check(root, spec); err != nil {
		return desired, err
	}
	rendered, err := enutils.RenderTemplate(spec, r, false)
	if err != nil {
		return desired, &templateError{place: root, reason: reasonOf(err)}
	}
	text, err := json.Marshal(rendered)
	if err == nil {
		err = json.Unmarshal(text, &desired)
	}
	if err != nil {
		return desired, &templateError{place: root, reason: "a value is of the wrong type: " + err.Error()}
	}
	service := &desired.Service.Metadata
	service.Annotations = merged(service.Annotations, r.service.annotations)
	service.Labels = merged(service.Labels, r.service.labels)
	return desired, nil
}

// merged returns the entries of both maps. Those of the second one take precedence.
func merged(entries, more map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, entries)
	maps.Copy(all, more)
	return all
}

// checkDeployment fails if the API server refuses the Deployment that Liqo would make for a gateway with settings of
// its pods. Only Liqo's log says so afterwards, and the gateway would be waited for in vain. So checkDeployment makes
// the same one as a dry run. What it can't find out, for example because it may not ask, is no problem.
func (e *End) checkDeployment(ctx context.Context, gateway desiredGateway, made parts) error {
	if gateway.derived == nil {
		return nil
	}
	desired := liqo.DeploymentOf(gateway.Object, made.Deployment)
	err := e.tryDeployment(ctx, desired)
	if !cluster.Refused(err) {
		return nil
	}
	return &trouble.Problem{
		ID: "gateway-deployment-refused", Leaf: e.Leaf.Name, Summary: "the gateway's Deployment is refused",
		Evidence: []string{fmt.Sprintf("Liqo could not make %s so. The API server says: %s", e.Leaf.Describe(desired),
			trouble.ShownLines(cluster.Answer(err)))},
		Advice: "The gateway was not changed. Change what the API server refuses, in `pods` or on the leaf. Then apply " +
			"again.",
		Err: err,
	}
}

// tryDeployment creates or changes a Deployment as a dry run. The error is the API server's.
func (e *End) tryDeployment(ctx context.Context, desired *appsv1.Deployment) error {
	existing := &appsv1.Deployment{}
	exists, err := e.Leaf.Get(ctx, client.ObjectKeyFromObject(desired), existing)
	switch {
	case err != nil:
		return err
	case !exists:
		return e.Leaf.TryCreate(ctx, desired)
	}
	changed := existing.DeepCopy()
	changed.Spec = desired.Spec
	return e.Leaf.TryPatch(ctx, changed, client.MergeFrom(existing))
}
