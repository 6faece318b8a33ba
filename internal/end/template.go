package end

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	enutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/external-network/utils"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// refer returns the reference to a template as a gateway has it: with a kind instead of a resource.
func (e *End) refer(template liqo.Template) (corev1.ObjectReference, error) {
	resource, err := enutils.ParseGroupVersionResource(template.Resource)
	if err != nil || resource.Version == "" || resource.Resource == "" {
		return corev1.ObjectReference{}, &trouble.Problem{
			ID: trouble.NoEntry, Leaf: e.Leaf.Name, Summary: "not a resource: " + template.Resource,
			Advice: "It must be group/version/resource.", Err: err,
		}
	}
	kind, err := e.Leaf.KindOfResource(resource)
	if meta.IsNoMatchError(err) {
		return corev1.ObjectReference{}, &trouble.Problem{
			ID: trouble.NoEntry, Leaf: e.Leaf.Name, Summary: "there are no templates of type " + template.Resource,
			Advice: "The API server does not know this resource. Check its spelling, or install the gateway technology " +
				"that provides it.",
			Err: err,
		}
	}
	apiVersion, name := kind.ToAPIVersionAndKind()
	return corev1.ObjectReference{
		Name: template.Name, Namespace: template.Namespace, Kind: name, APIVersion: apiVersion,
	}, err
}

// checkTemplate fails if the template of a gateway, or its kind, does not exist on the leaf, if it can't be rendered,
// or if it does not use a setting of a new gateway.
func (e *End) checkTemplate(ctx context.Context, intent Intent) error {
	objects, err := e.Find(ctx)
	if err != nil {
		return err
	}
	existing, desired, err := e.presumedGateway(ctx, objects, *intent.Gateway)
	if err != nil {
		return err
	}
	source, err := e.readSource(ctx, existing, desired)
	if err == nil && isWireGuard(*desired.Template) {
		_, err = e.render(ctx, source, existing, desired)
	}
	if err != nil || !intent.NewGateway {
		return err
	}
	return e.checkUsed(*intent.Gateway, source.template)
}

// checkUsed fails if a template does not use a setting of the gateway's Service.
func (e *End) checkUsed(settings liqo.GatewaySettings, template *unstructured.Unstructured) error {
	for _, one := range []struct {
		setting       about
		field, within string
		set           bool
	}{
		{"node_port", "node port", ".NodePort", settings.NodePort != 0},
		{"load_balancer_ip", "load balancer's address", ".LoadBalancerIP", settings.LoadBalancerIP != ""},
	} {
		if !one.set || mentions(template.Object["spec"], one.within) {
			continue
		}
		base := settings.TemplateOn(e.Leaf.LiqoNamespace)
		return &trouble.Problem{
			ID: trouble.NoEntry, Summary: "the template ignores " + string(one.setting), Err: one.setting,
			Advice: fmt.Sprintf("The Service in template %s %s/%s on leaf %q does not use the %s of the gateway, so `%s` "+
				"would have no effect. Remove it, or set a `template` that uses it.",
				template.GetKind(), base.Namespace, base.Name, e.Leaf.Name, one.field, string(one.setting)),
		}
	}
	return nil
}

// readTemplate reads a template from the API server. A missing one is an error.
func (e *End) readTemplate(
	ctx context.Context, reference corev1.ObjectReference,
) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(reference.GroupVersionKind())
	key := client.ObjectKey{Namespace: reference.Namespace, Name: reference.Name}
	exists, err := e.Leaf.Get(ctx, key, object)
	if !exists && err == nil {
		return nil, &trouble.Problem{
			ID: "template-missing", Leaf: e.Leaf.Name, Summary: "the template does not exist",
			Advice: fmt.Sprintf("There is no %s %s.", reference.Kind, key), Err: errMissing,
		}
	}
	return object, err
}

// mentions reports whether a template refers to a field of a gateway. Liqo renders every string of it as a Go template,
// whatever the technology.
func mentions(value any, field string) bool {
	switch value := value.(type) {
	case string:
		return strings.Contains(value, "{{") && strings.Contains(value, field)
	case []any:
		return slices.ContainsFunc(value, func(element any) bool { return mentions(element, field) })
	case map[string]any:
		for _, element := range value {
			if mentions(element, field) {
				return true
			}
		}
	}
	return false
}

// optional is the marker of a field that a template sets only if the variable in its value is set. Liqo 1.0 to 1.2 have
// no other one.
const optional = "?"

// templateError says why a template can't be rendered.
type templateError struct {
	place  string // the place in the template, as a path of fields
	reason string
	marker bool // the reason is a marker that this provider does not know
}

// Error implements [error].
func (t *templateError) Error() string { return "at `" + t.place + "`, " + t.reason }

// unrenderable says what is wrong with a template, and what to do.
func (e *End) unrenderable(template *unstructured.Unstructured, failure *templateError) *trouble.Problem {
	remedy := "Liqo can't render it either. Correct it, or set `template` of this gateway to another one. If it came " +
		"with Liqo, the template and Liqo's custom resource definitions on this leaf may be of different versions: `helm " +
		"upgrade` does not update definitions."
	if failure.marker {
		remedy = "This version of the provider knows only the marker `" + optional + "`, as Liqo 1.0 to 1.2 do, so it " +
			"can't tell what a change of the gateway would do. Use a newer version of the provider, or set `template` of " +
			"this gateway to a template without the marker."
	}
	return &trouble.Problem{
		ID: "template-not-renderable", Leaf: e.Leaf.Name, Summary: "the template can't be rendered", Err: failure,
		Advice: fmt.Sprintf("%s can't be used: %s. %s",
			e.Leaf.Describe(template), trouble.Shown(failure.Error()), remedy),
	}
}

// check finds the first place of a template that can't be rendered. Liqo's own renderer does not say where it fails, it
// ends the program at a value that it does not expect, and it takes an unknown marker for a part of a name.
func (r rendering) check(place string, value any) error {
	switch value := value.(type) {
	case nil:
		return &templateError{place: place, reason: "there is no value"}
	case string:
		return r.try(place, value, value)
	case []any:
		for i, element := range value {
			if err := r.check(fmt.Sprintf("%s[%d]", place, i), element); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if err := r.checkField(place+"."+key, key, value[key]); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkField checks a field with its key, which may begin with a marker.
func (r rendering) checkField(place, key string, value any) error {
	text, isText := value.(string)
	switch begins := firstOf(key); {
	case begins == optional && isText:
		return r.try(place, map[string]any{key: text}, text)
	case begins == optional:
		return &templateError{place: place, reason: "the marker `" + optional + "` is before something else than a text"}
	case begins != "":
		return &templateError{
			place: place, marker: true, reason: "the key begins with `" + begins + "`, which is a marker",
		}
	}
	return r.check(place, value)
}

// firstOf returns the first character of a key if it is a marker. The name of a field, a label or an annotation begins
// with a letter or a digit.
func firstOf(key string) string {
	first, _ := utf8.DecodeRuneInString(key)
	if key == "" || unicode.IsLetter(first) || unicode.IsDigit(first) {
		return ""
	}
	return string(first)
}

// try renders a small part of a template that has this text.
func (r rendering) try(place string, part any, text string) error {
	if _, err := enutils.RenderTemplate(part, r, false); err != nil {
		return &templateError{place: place, reason: "`" + text + "` fails: " + reasonOf(err)}
	}
	return nil
}

// reasonOf returns what Go says about a template, without the name of the template, which Liqo leaves empty, and
// without the types of [liqo.Schema.TemplateData].
func reasonOf(err error) string {
	text := strings.TrimPrefix(err.Error(), "template: :")
	if _, after, ok := strings.Cut(text, `executing "" at `); ok {
		text = after
	}
	text, _, _ = strings.Cut(text, " in type ")
	return text
}
