package real

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kubelet"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/process"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/sandbox"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/tools"
)

// toolsDir is the folder in a sandbox with the tools. They come before the machine's own. liqo-pod is each of them, by
// the name with which it is called.
const toolsDir = "/opt/liqo-lab"

// searchPath is where the program of a container is looked up by default.
const searchPath = toolsDir + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// job is a pod whose containers run commands. It stays when it has ended, until it is removed.
type job struct {
	uid        types.UID
	containers map[string]*sandbox.Container
	// whole reports whether all containers of the pod run commands. Then its sandbox ends with them.
	whole bool
}

// jobs are the jobs of a node, by their pods. Its methods must be called with the lock of the leaf held.
type jobs map[client.ObjectKey]*job

// of returns the job of a pod, or nil.
func (j jobs) of(object *corev1.Pod) *job {
	if found := j[client.ObjectKeyFromObject(object)]; found != nil && found.uid == object.UID {
		return found
	}
	return nil
}

// kill ends the job of a pod, if there is one.
func (j jobs) kill(key client.ObjectKey) {
	gone := j[key]
	if gone == nil {
		return
	}
	delete(j, key)
	for _, c := range gone.containers {
		c.Kill()
	}
}

// Ended implements kubelet.Runtime. A node has one kubelet at a time.
func (n *node) Ended(ctx context.Context) <-chan event.GenericEvent {
	n.leaf.mu.Lock()
	defer n.leaf.mu.Unlock()
	listener := make(chan event.GenericEvent)
	n.tell = func(key client.ObjectKey) {
		changed := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
		select {
		case listener <- event.GenericEvent{Object: changed}:
		case <-ctx.Done():
		}
	}
	return listener
}

// Commands implements kubelet.Runtime.
func (n *node) Commands(object *corev1.Pod) kubelet.Commands {
	n.leaf.mu.Lock()
	defer n.leaf.mu.Unlock()
	found := n.jobs.of(object)
	if found == nil {
		return nil
	}
	commands := kubelet.Commands{}
	for name, c := range found.containers {
		commands[name] = nil
		if exit, ended := c.Exit(); ended {
			commands[name] = terminated(c, exit)
		}
	}
	return commands
}

// terminated returns how a container has ended, as a kubelet with containerd reports it.
func terminated(c *sandbox.Container, exit sandbox.Exit) *corev1.ContainerStateTerminated {
	end := &corev1.ContainerStateTerminated{
		ExitCode: int32(exit.Code), Reason: "Completed", Message: exit.Message,
		StartedAt: metav1.NewTime(c.Started), FinishedAt: metav1.NewTime(exit.Finished),
	}
	switch {
	case exit.StartError != nil:
		end.Reason, end.StartedAt = "StartError", metav1.Unix(0, 0)
		end.Message = "failed to create containerd task: failed to create shim task: OCI runtime create failed: " +
			"runc create failed: unable to start container process: error during container init: " + exit.StartError.Error()
	case exit.Code != 0:
		end.Reason = "Error"
	}
	return end
}

// Terminate implements kubelet.Runtime.
func (n *node) Terminate(object *corev1.Pod, grace time.Duration) {
	n.leaf.mu.Lock()
	defer n.leaf.mu.Unlock()
	if found := n.jobs.of(object); found != nil {
		for _, c := range found.containers {
			c.Terminate(grace)
		}
	}
}

// jobSpec returns a sandbox for a pod that runs commands.
func (l *leaf) jobSpec(object *corev1.Pod, name string) (sandbox.Spec, error) {
	spec := sandbox.Spec{Name: name, Container: true, Mounts: map[string]string{}, Sysctls: map[string]string{}}
	l.mountTools(spec.Mounts)
	for i := range object.Spec.Containers {
		spec.Writable = append(spec.Writable, messagePath(&object.Spec.Containers[i]))
	}
	if object.Spec.SecurityContext != nil {
		for _, sysctl := range object.Spec.SecurityContext.Sysctls {
			setting, ok := strings.CutPrefix(sysctl.Name, "net.")
			if !ok {
				return spec, fmt.Errorf("sysctl %s is not one of a network", sysctl.Name)
			}
			spec.Sysctls[strings.ReplaceAll(setting, ".", "/")] = sysctl.Value
		}
	}
	return spec, nil
}

// mountTools adds the tools to the mounts of a sandbox.
func (l *leaf) mountTools(mounts map[string]string) {
	for tool := range tools.ByName {
		mounts[filepath.Join(toolsDir, tool)] = l.plane.helper
	}
}

// startJob starts the commands of a pod. It must be called with the lock held.
func (n *node) startJob(object *corev1.Pod, in *pod) error {
	started := &job{uid: object.UID, containers: map[string]*sandbox.Container{}, whole: true}
	n.jobs[client.ObjectKeyFromObject(object)] = started
	for i := range object.Spec.Containers {
		c := &object.Spec.Containers[i]
		if len(c.Command) == 0 {
			started.whole = false
			continue
		}
		if err := n.startCommand(object, c, started, in); err != nil {
			return err
		}
	}
	return nil
}

// startAdded starts the commands of ephemeral containers that a running pod has got. It must be called with the lock
// held.
func (n *node) startAdded(object *corev1.Pod, to *job, in *pod) error {
	for i := range object.Spec.EphemeralContainers {
		c := (*corev1.Container)(&object.Spec.EphemeralContainers[i].EphemeralContainerCommon)
		if to.containers[c.Name] != nil {
			continue
		}
		if err := n.startCommand(object, c, to, in); err != nil {
			return err
		}
	}
	return nil
}

// startCommand starts the command of a container. It must be called with the lock held.
func (n *node) startCommand(object *corev1.Pod, c *corev1.Container, of *job, in *pod) error {
	spec, err := n.leaf.containerSpec(object, c)
	if err != nil {
		return fmt.Errorf("container %s: %w", c.Name, err)
	}
	run, err := in.Run(n.leaf.plane.helper, spec)
	if err != nil {
		return fmt.Errorf("container %s: %w", c.Name, err)
	}
	of.containers[c.Name] = run
	go n.await(client.ObjectKeyFromObject(object), of, run)
	return nil
}

// await waits for the end of a container.
func (n *node) await(key client.ObjectKey, of *job, c *sandbox.Container) {
	<-c.Done()
	n.leaf.mu.Lock()
	defer n.leaf.mu.Unlock()
	if n.jobs[key] != of {
		return // it was removed
	}
	over := of.whole
	for _, other := range of.containers {
		_, ended := other.Exit()
		over = over && ended
	}
	if over {
		n.leaf.dismantle(key)
	}
	if n.tell != nil {
		go n.tell(key)
	}
}

// containerSpec returns a container for a command of a pod.
func (l *leaf) containerSpec(object *corev1.Pod, c *corev1.Container) (sandbox.ContainerSpec, error) {
	env, command, args, err := kubelet.Command(object, c)
	if err != nil {
		return sandbox.ContainerSpec{}, err
	}
	spec := sandbox.ContainerSpec{
		Args: append(command, args...), Dir: cmp.Or(c.WorkingDir, "/"), Message: messagePath(c),
		Env: slices.Concat(process.MarkOnly(), []string{"PATH=" + searchPath, "HOSTNAME=" + object.Name, "HOME=/"}, env),
		Log: filepath.Join(l.Logs, strings.Join([]string{object.Namespace, object.Name, c.Name}, "-")+".log"),
	}
	if of := object.Spec.SecurityContext; of != nil {
		spec.UID, spec.GID = int(ptr.Deref(of.RunAsUser, 0)), int(ptr.Deref(of.RunAsGroup, 0))
	}
	if of := c.SecurityContext; of != nil {
		spec.UID = int(ptr.Deref(of.RunAsUser, int64(spec.UID)))
		spec.GID = int(ptr.Deref(of.RunAsGroup, int64(spec.GID)))
		spec.NoNewPrivileges = !ptr.Deref(of.AllowPrivilegeEscalation, true)
		if of.Capabilities != nil {
			for _, capability := range of.Capabilities.Drop {
				spec.Bounded = spec.Bounded || strings.EqualFold(string(capability), "all")
			}
		}
	}
	return spec, nil
}

// messagePath is where a container writes its termination message.
func messagePath(c *corev1.Container) string {
	return cmp.Or(c.TerminationMessagePath, corev1.TerminationMessagePathDefault)
}
