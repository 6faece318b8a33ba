package kubelet

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Program runs a container's program. It gets the pod's name and the container's environment, in
// the form KEY=value, and arguments. The program is started again whenever it ends, until stop is
// called. Stop returns when it has ended.
type Program func(name string, env, args []string) (stop func(context.Context), err error)

// start runs the programs of a running pod, unless they already run.
func (r *podReconciler) start(pod *corev1.Pod) error {
	key := client.ObjectKeyFromObject(pod)
	if r.stops[key] != nil {
		return nil
	}
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		program := r.Programs[container.Name]
		if program == nil {
			continue
		}
		env, _, args, err := Command(pod, container)
		if err != nil {
			return fmt.Errorf("container %s: %w", container.Name, err)
		}
		stop, err := program(pod.Name, env, args)
		if err != nil {
			return err
		}
		r.stops[key] = append(r.stops[key], stop)
	}
	return nil
}

// stop ends the programs of a pod, and forgets its address.
func (r *podReconciler) stop(ctx context.Context, pod client.ObjectKey) {
	if r.Runtime != nil {
		r.Runtime.Remove(ctx, pod)
	}
	for _, stop := range r.stops[pod] {
		stop(ctx)
	}
	delete(r.stops, pod)
	delete(r.addresses, pod)
}

// reference is $(NAME), which stands for a variable of the container's environment, or $$, which stands for $.
var reference = regexp.MustCompile(`\$\$|\$\([A-Za-z_][A-Za-z0-9_]*\)`)

// Command returns a container's environment, in the form KEY=value, its command, which may be empty,
// and its arguments as a kubelet would pass them. They can only refer to fields of the pod itself.
func Command(pod *corev1.Pod, container *corev1.Container) (env, command, args []string, err error) {
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pod)
	if err != nil {
		return nil, nil, nil, err
	}
	values := map[string]string{}
	expand := func(text string) string {
		return reference.ReplaceAllStringFunc(text, func(name string) string {
			if name == "$$" {
				return "$"
			}
			if value, known := values[name[2:len(name)-1]]; known {
				return value
			}
			return name
		})
	}
	for _, variable := range container.Env {
		value := expand(variable.Value) // it can refer to the variables before it
		if source := variable.ValueFrom; source != nil {
			if source.FieldRef == nil {
				return nil, nil, nil, fmt.Errorf("variable %s does not come from a field of the pod", variable.Name)
			}
			var found bool
			value, found, err = unstructured.NestedString(object, strings.Split(source.FieldRef.FieldPath, ".")...)
			if err != nil || !found {
				return nil, nil, nil, fmt.Errorf("variable %s: the pod has no %s", variable.Name, source.FieldRef.FieldPath)
			}
		}
		values[variable.Name] = value
		env = append(env, variable.Name+"="+value)
	}
	for _, part := range container.Command {
		command = append(command, expand(part))
	}
	for _, arg := range container.Args {
		args = append(args, expand(arg))
	}
	return env, command, args, nil
}
