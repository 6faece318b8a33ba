package end

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// This file derives a template from another one. It decides by what the template says, because every version of Liqo
// has its own: which containers take part in the election of the active replica, and whether a label of all pods calls
// them active. What it does not know is carried along.

// derive returns the spec of a template that makes the pods of a gateway with these settings, and everything else as
// the base does. The error is an [inexpressible].
func derive(base map[string]any, settings liqo.PodSettings) (map[string]any, error) {
	derived := runtime.DeepCopyJSON(base)
	d, err := deploymentIn(derived)
	if err != nil {
		return nil, err
	}
	for _, set := range []func(liqo.PodSettings) error{
		d.setReplicas, d.setLease, d.setLiveness, d.place, d.setPriority, d.setResources, d.setMetadata,
	} {
		if err := set(settings); err != nil {
			return nil, err
		}
	}
	return derived, nil
}

// inexpressible says which setting of a gateway's pods a template can't express, and why.
type inexpressible struct{ setting, reason string }

// Error implements [error].
func (i *inexpressible) Error() string { return "`" + i.setting + "`: " + i.reason }

// Unwrap returns what the user can change: the template, all settings of the pods, or one of them.
func (i *inexpressible) Unwrap() error {
	if i.setting == "template" || i.setting == "pods" {
		return about(i.setting)
	}
	return about("pods." + i.setting)
}

// derivedDeployment is the Deployment in a template. Its parts belong to the template, so a change of them changes it.
type derivedDeployment struct {
	service    map[string]any // the spec of the Service; nil if the template has none
	deployment map[string]any // its own spec
	metadata   map[string]any // of the pods
	pods       map[string]any // the spec of the pods
	containers []map[string]any
}

// deploymentIn finds the Deployment in the spec of a template.
func deploymentIn(spec map[string]any) (derivedDeployment, error) {
	object := fieldsOf(fieldsOf(spec["template"])["spec"])
	d := derivedDeployment{
		service:    fieldsOf(fieldsOf(object["service"])["spec"]),
		deployment: fieldsOf(fieldsOf(object["deployment"])["spec"]),
	}
	template := fieldsOf(d.deployment["template"])
	d.pods = fieldsOf(template["spec"])
	containers, _ := d.pods["containers"].([]any)
	for _, container := range containers {
		d.containers = append(d.containers, fieldsOf(container))
	}
	if len(d.containers) == 0 {
		return d, &inexpressible{"pods", "the template has no Deployment whose pods could have settings"}
	}
	d.metadata = part(template, "metadata")
	return d, nil
}

// part returns an object in another one, which it adds if it is missing.
func part(object map[string]any, name string) map[string]any {
	fields := fieldsOf(object[name])
	if fields == nil {
		fields = map[string]any{}
		object[name] = fields
	}
	return fields
}

// electionFlag lets a container take part in the election of the active replica, or follow it.
const electionFlag = "--leader-election"

// electing returns the containers that have the flag.
func (d derivedDeployment) electing() []map[string]any {
	return slices.DeleteFunc(slices.Clone(d.containers), func(container map[string]any) bool {
		return !slices.ContainsFunc(argsOf(container), func(arg any) bool { return isFlag(arg, electionFlag) })
	})
}

// setReplicas lets several replicas elect the active one. Then no pod is active from its start, and a change leaves one
// pod until a new one is ready. It waits for no other one, which may find no node. A single replica may go on to elect
// itself: so the template's own flags stay.
func (d derivedDeployment) setReplicas(settings liqo.PodSettings) error {
	if settings.Replicas == 0 {
		return nil
	}
	d.deployment["replicas"] = int64(settings.Replicas)
	if settings.Replicas == 1 {
		return nil
	}
	electing := d.electing()
	if len(electing) == 0 {
		return &inexpressible{"replicas", "no container in the template has the argument " + electionFlag +
			", with which replicas agree on the active one"}
	}
	if _, follows := fieldsOf(d.service["selector"])[activeLabel]; d.service != nil && !follows {
		return &inexpressible{"replicas", "the Service in the template does not select the label " + activeLabel +
			", so it would send packets to replicas that are not active"}
	}
	for _, container := range electing {
		container["args"] = withFlag(argsOf(container), electionFlag, "true")
	}
	delete(fieldsOf(d.metadata["labels"]), activeLabel)
	d.deployment["strategy"] = map[string]any{
		"type": "RollingUpdate", "rollingUpdate": map[string]any{
			"maxSurge": int64(0), "maxUnavailable": int64(settings.Replicas - 1),
		},
	}
	return d.separate(settings.Spread())
}

// separate lets no two replicas share a node, or another domain that the topology key stands for. Those of a former
// revision don't count: a change could otherwise wait for ever for a node that one of them has. Anti-affinity can't say
// this before Kubernetes 1.31, but a limit of the difference between domains can. As there are never so many domains,
// Kubernetes compares each with an empty one.
func (d derivedDeployment) separate(topologyKey string) error {
	selector := fieldsOf(d.deployment["selector"])
	if selector == nil {
		return &inexpressible{"replicas", "the Deployment in the template has no selector"}
	}
	if err := literal("topology_key", topologyKey); err != nil {
		return err
	}
	const constraints, strictly = "topologySpreadConstraints", string(corev1.DoNotSchedule)
	others, _ := d.pods[constraints].([]any)
	others = slices.DeleteFunc(slices.Clone(others), func(one any) bool { // there is one at most of each key and action
		return fieldsOf(one)["topologyKey"] == topologyKey && fieldsOf(one)["whenUnsatisfiable"] == strictly
	})
	d.pods[constraints] = append(others, map[string]any{
		"labelSelector": runtime.DeepCopyJSON(selector), "matchLabelKeys": []any{appsv1.DefaultDeploymentUniqueLabelKey},
		"topologyKey": topologyKey, "maxSkew": int64(1), "minDomains": int64(math.MaxInt32), "whenUnsatisfiable": strictly,
	})
	return nil
}

// setLease sets how long the active replica may be silent before another one takes over. The deadline to renew the
// lease and the pause between two attempts are in the same proportion to it as Liqo's defaults: 15, 10 and 2 seconds.
func (d derivedDeployment) setLease(settings liqo.PodSettings) error {
	if settings.LeaseDuration == "" {
		return nil
	}
	lease, err := time.ParseDuration(settings.LeaseDuration)
	if err != nil {
		return &inexpressible{"lease_duration", err.Error()}
	}
	electing := slices.DeleteFunc(d.electing(), func(container map[string]any) bool {
		return slices.Contains(argsOf(container), any(electionFlag+"=false"))
	})
	if len(electing) == 0 {
		return &inexpressible{"lease_duration", "no replica takes over from a single one; set `replicas` to 2 or more"}
	}
	for _, container := range electing {
		args := argsOf(container)
		for _, flag := range []struct {
			name  string
			value time.Duration
		}{{"lease-duration", lease}, {"renew-deadline", lease * 10 / 15}, {"retry-period", lease * 2 / 15}} {
			args = withFlag(args, electionFlag+"-"+flag.name, flag.value.Round(time.Millisecond).String())
		}
		container["args"] = args
	}
	return nil
}

// place says on which nodes the pods may run.
func (d derivedDeployment) place(settings liqo.PodSettings) error {
	for key, value := range settings.NodeSelector {
		if err := literal("node_selector", value); err != nil {
			return err
		}
		part(d.pods, "nodeSelector")[key] = value
	}
	tolerations, _ := d.pods["tolerations"].([]any)
	for i := range settings.Tolerations {
		if err := literal("tolerations", settings.Tolerations[i].Value); err != nil {
			return err
		}
		toleration, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&settings.Tolerations[i])
		if err != nil {
			return err
		}
		tolerations = append(tolerations, toleration)
		d.pods["tolerations"] = tolerations
	}
	return nil
}

// setPriority sets which pods Kubernetes removes first if a node has no room.
func (d derivedDeployment) setPriority(settings liqo.PodSettings) error {
	if settings.PriorityClassName == "" {
		return nil
	}
	d.pods["priorityClassName"] = settings.PriorityClassName
	return literal("priority_class_name", settings.PriorityClassName)
}

// setMetadata adds labels and annotations to the pods, but no label by which Liqo or the Deployment finds them.
func (d derivedDeployment) setMetadata(settings liqo.PodSettings) error {
	selected := fieldsOf(fieldsOf(d.deployment["selector"])["matchLabels"])
	for _, key := range slices.Sorted(maps.Keys(settings.Labels)) {
		if _, taken := selected[key]; taken || strings.HasPrefix(key, liqoLabels) {
			return &inexpressible{"labels", "the label " + key + " is Liqo's: with another value, a gateway would lose its pods"}
		}
	}
	for name, entries := range map[string]map[string]string{
		"labels": settings.Labels, "annotations": settings.Annotations,
	} {
		for key, value := range entries {
			if err := verbatim(name, value); err != nil {
				return err
			}
			part(d.metadata, name)[key] = value
		}
	}
	return nil
}

// liqoLabels begin the labels by which Liqo finds the pods of a gateway.
const liqoLabels = "networking.liqo.io/"

// literal fails for a value that Liqo changes when it renders a template. Outside of labels and annotations, it makes a
// number of each text that looks like one, and Kubernetes refuses that.
func literal(setting, value string) error {
	if _, err := strconv.Atoi(value); err == nil {
		return &inexpressible{setting, fmt.Sprintf("Liqo would make a number of the text %q when it renders the template, "+
			"and Kubernetes would refuse it", value)}
	}
	return verbatim(setting, value)
}

// verbatim fails for a value that Liqo would take for a template.
func verbatim(setting, value string) error {
	if strings.Contains(value, "{{") {
		return &inexpressible{setting, fmt.Sprintf("Liqo would take %q for a template of its own", value)}
	}
	return nil
}

func argsOf(container map[string]any) []any {
	args, _ := container["args"].([]any)
	return args
}

// isFlag reports whether an argument is a flag with this name, with or without a value.
func isFlag(arg any, name string) bool {
	text, _ := arg.(string)
	return text == name || strings.HasPrefix(text, name+"=")
}

// withFlag returns the arguments with another value of a flag, which stands where it was before or at the end.
func withFlag(args []any, name, value string) []any {
	args, flag := slices.Clone(args), name+"="+value
	at := slices.IndexFunc(args, func(arg any) bool { return isFlag(arg, name) })
	if at < 0 {
		return append(args, flag)
	}
	args[at] = flag
	return args
}
