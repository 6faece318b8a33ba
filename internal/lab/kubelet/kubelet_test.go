package kubelet

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const node = "rome-node"

// eventsKept is the maximum number of events that a test may cause.
const eventsKept = 100

func newOptions() Options {
	return Options{
		Node: node, NodeIP: netip.MustParseAddr("172.18.0.2"),
		PodIPs:   NewPool(netip.MustParsePrefix("10.202.0.0/16"), 0),
		Settings: NewSettings(Values{PullImage: true}),
	}
}

func newClient(objects ...client.Object) client.Client {
	return fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(objects...).
		WithStatusSubresource(&corev1.Pod{}, &corev1.Service{}, &corev1.Node{}).Build()
}

func newKubelet(objects ...client.Object) *podReconciler {
	return &podReconciler{
		Options: newOptions(), client: newClient(objects...), addresses: map[client.ObjectKey]*podAddress{},
		stops: map[client.ObjectKey][]func(context.Context){}, events: record.NewFakeRecorder(eventsKept),
	}
}

func newPod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-milan", Name: "gw-milan"},
		Spec: corev1.PodSpec{
			NodeName: node, Containers: []corev1.Container{{Name: "gateway", Image: "ghcr.io/liqotech/gateway:v1.2.0"}},
		},
	}
}

// step reconciles the pod and returns its new state, or nil if it is gone.
func step(t *testing.T, r *podReconciler) (*corev1.Pod, ctrl.Result) {
	t.Helper()
	key := client.ObjectKeyFromObject(newPod())
	result, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: key})
	if err != nil {
		t.Fatal(err)
	}
	var pod corev1.Pod
	if err := r.client.Get(t.Context(), key, &pod); err != nil {
		return nil, result
	}
	return &pod, result
}

func isReady(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

func TestAPodRunsWithAnAddressOfThePodNetwork(t *testing.T) {
	pod, _ := step(t, newKubelet(newPod()))
	if pod.Status.Phase != corev1.PodRunning || !isReady(pod) || pod.Status.PodIP != "10.202.0.10" ||
		pod.Status.HostIP != "172.18.0.2" {
		t.Errorf("got %+v", pod.Status)
	}
}

// fakeRuntime records which pods run, with their addresses, which commands run and how they have ended, and with which
// grace periods they were told to end.
type fakeRuntime struct {
	addresses map[client.ObjectKey]netip.Addr
	commands  Commands
	graces    []time.Duration
}

func newFakeRuntime() *fakeRuntime {
	return &fakeRuntime{addresses: map[client.ObjectKey]netip.Addr{}, commands: Commands{}}
}

func (f *fakeRuntime) Run(_ context.Context, pod *corev1.Pod, ip netip.Addr) error {
	f.addresses[client.ObjectKeyFromObject(pod)] = ip
	return nil
}

func (f *fakeRuntime) Remove(_ context.Context, pod client.ObjectKey) { delete(f.addresses, pod) }

func (f *fakeRuntime) Commands(*corev1.Pod) Commands { return f.commands }

func (f *fakeRuntime) Terminate(_ *corev1.Pod, grace time.Duration) {
	f.graces = append(f.graces, grace)
}

func (f *fakeRuntime) Ended(context.Context) <-chan event.GenericEvent { return nil }

func TestARuntimeRunsAPodAtItsAddressBeforeThatIsReportedAndUntilItIsDeleted(t *testing.T) {
	runtime := newFakeRuntime()
	r := newKubelet(newPod())
	r.Runtime = runtime
	pod, _ := step(t, r)
	key := client.ObjectKeyFromObject(pod)
	if got := runtime.addresses[key].String(); got != pod.Status.PodIP {
		t.Errorf("it runs at %s, and is reported at %s", got, pod.Status.PodIP)
	}
	delete(runtime.addresses, key) // as for a kubelet that has just started
	if step(t, r); runtime.addresses[key].String() != pod.Status.PodIP {
		t.Error("a pod that was reported running does not run")
	}
	if err := r.client.Delete(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	if step(t, r); len(runtime.addresses) > 0 {
		t.Errorf("%v runs on", runtime.addresses)
	}
}

// behind is a client whose cache still has a pod as it was before.
type behind struct {
	client.Client

	pod *corev1.Pod
}

func (b *behind) Get(
	ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption,
) error {
	if pod, ok := object.(*corev1.Pod); ok {
		b.pod.DeepCopyInto(pod)
		return nil
	}
	return b.Client.Get(ctx, key, object, options...)
}

func TestAPodRunsOnAtItsAddressWhileTheCacheDoesNotKnowYetThatItRuns(t *testing.T) {
	runtime := newFakeRuntime()
	r := newKubelet(newPod())
	r.Runtime = runtime
	key := client.ObjectKeyFromObject(newPod())
	var before corev1.Pod
	if err := r.client.Get(t.Context(), key, &before); err != nil {
		t.Fatal(err)
	}
	pod, _ := step(t, r)
	r.client = &behind{r.client, &before}
	step(t, r)
	if got := runtime.addresses[key].String(); got != pod.Status.PodIP {
		t.Errorf("it is reported at %s, and now runs at %s", pod.Status.PodIP, got)
	}
}

func TestTwoPoolsOfOneNetworkGiveOutDifferentAddresses(t *testing.T) {
	network := netip.MustParsePrefix("10.200.0.0/16")
	for skip, want := range map[int]string{0: "10.200.0.10", 256: "10.200.1.10", 1 << 17: "10.200.0.10"} {
		if got, err := NewPool(network, skip).Take(); got.String() != want || err != nil {
			t.Errorf("without the first %d: got %s, %v, want %s", skip, got, err, want)
		}
	}
}

func TestAPodWhoseImageCannotBePulledSaysSoAndRunsLater(t *testing.T) {
	r := newKubelet(newPod())
	if err := r.Settings.Set("pull-image", "false"); err != nil {
		t.Fatal(err)
	}
	pod, result := step(t, r)
	waiting := pod.Status.ContainerStatuses[0].State.Waiting
	if waiting == nil || waiting.Reason != "ImagePullBackOff" ||
		!strings.Contains(waiting.Message, "gateway:v1.2.0: not found") || result.RequeueAfter == 0 {
		t.Errorf("got %+v, again after %s", waiting, result.RequeueAfter)
	}
	if err := r.Settings.Set("pull-image", "true"); err != nil {
		t.Fatal(err)
	}
	if pod, _ := step(t, r); pod.Status.Phase != corev1.PodRunning {
		t.Errorf("got %+v", pod.Status)
	}
}

func TestAPodWaitsForTheSecretThatItMounts(t *testing.T) {
	pod := newPod()
	pod.Spec.Volumes = []corev1.Volume{
		{Name: "keys", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "gw-milan"}}},
	}
	r := newKubelet(pod)
	if pod, _ := step(t, r); pod.Status.ContainerStatuses[0].State.Waiting.Reason != "ContainerCreating" {
		t.Errorf("got %+v", pod.Status)
	}
	keys := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: "gw-milan"}}
	if err := r.client.Create(t.Context(), keys); err != nil {
		t.Fatal(err)
	}
	if pod, _ := step(t, r); pod.Status.Phase != corev1.PodRunning {
		t.Errorf("got %+v", pod.Status)
	}
}

func TestAPodIsReadyAfterTheDelay(t *testing.T) {
	r := newKubelet(newPod())
	if err := r.Settings.Set("gateway-ready-after", "1h"); err != nil {
		t.Fatal(err)
	}
	pod, result := step(t, r)
	if isReady(pod) || result.RequeueAfter != time.Hour {
		t.Errorf("got %+v, again after %s", pod.Status, result.RequeueAfter)
	}
	if _, result := step(t, r); result.RequeueAfter < 59*time.Minute {
		t.Errorf("again after %s", result.RequeueAfter)
	}
}

func TestADeletedPodGoesAtOnce(t *testing.T) {
	pod := newPod()
	now := metav1.Now()
	pod.DeletionTimestamp, pod.Finalizers = &now, []string{"test"}
	r := newKubelet(pod)
	if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(pod)}); err != nil {
		t.Error(err)
	}
}

func TestAPodOfAnotherNodeIsLeftAlone(t *testing.T) {
	pod := newPod()
	pod.Spec.NodeName = "liqo-milan"
	if pod, _ := step(t, newKubelet(pod)); pod.Status.Phase != "" {
		t.Errorf("got %+v", pod.Status)
	}
}

func TestALoadBalancerServiceIsGivenAnAddress(t *testing.T) {
	for name, test := range map[string]struct {
		spec corev1.ServiceSpec
		has  string
		off  bool
		want string
	}{
		"the next one": {spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer}, want: "172.18.200.10"},
		"the one it asks for": {
			spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, LoadBalancerIP: "172.18.200.99"},
			want: "172.18.200.99",
		},
		"another one if it asks for that": {
			spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, LoadBalancerIP: "172.18.200.99"},
			has:  "172.18.200.10", want: "172.18.200.99",
		},
		"the one that it has": {
			spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer}, has: "172.18.200.12", want: "172.18.200.12",
		},
		"none while it is off":  {spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer}, off: true},
		"none if it wants none": {spec: corev1.ServiceSpec{Type: corev1.ServiceTypeNodePort}},
	} {
		t.Run(name, func(t *testing.T) {
			service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "gw"}, Spec: test.spec}
			if test.has != "" {
				service.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: test.has}}
			}
			r := &balancerReconciler{
				addresses: NewPool(netip.MustParsePrefix("172.18.200.0/24"), 0),
				settings:  NewSettings(Values{LoadBalancer: true}), client: newClient(service),
			}
			if test.off {
				if err := r.settings.Set("load-balancer", "false"); err != nil {
					t.Fatal(err)
				}
			}
			request := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(service)}
			if _, err := r.Reconcile(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			if err := r.client.Get(t.Context(), client.ObjectKeyFromObject(service), service); err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, ingress := range service.Status.LoadBalancer.Ingress {
				got += ingress.IP
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestAPoolGivesEachAddressOnce(t *testing.T) {
	pool := NewPool(netip.MustParsePrefix("10.0.0.0/28"), 0)
	seen := map[netip.Addr]bool{}
	for range 6 {
		ip, err := pool.Take()
		if err != nil || seen[ip] {
			t.Fatalf("got %s again, or %v", ip, err)
		}
		seen[ip] = true
	}
	if ip, err := pool.Take(); err == nil {
		t.Errorf("got %s from a network without addresses left", ip)
	}
}

// virtualKubelet is a running pod with a container as Liqo creates it for a virtual node.
func virtualKubelet() *corev1.Pod {
	pod := newPod()
	field := func(path string) *corev1.EnvVarSource {
		return &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}
	}
	pod.Spec.Containers = []corev1.Container{{
		Name: "virtual-kubelet",
		Args: []string{"--node-ip=$(POD_IP)", "--nodename=milan", "--label=$(NOBODY)"},
		Env: []corev1.EnvVar{
			{Name: "POD_IP", ValueFrom: field("status.podIP")},
			{Name: "POD_NAME", ValueFrom: field("metadata.name")},
			{Name: "VIRTUALNODE_NAME", Value: "milan"},
		},
	}}
	return pod
}

func TestAContainerThatTheLabHasAProgramForRunsAsOneAsLongAsItsPodDoes(t *testing.T) {
	var started, stopped []string
	r := newKubelet(virtualKubelet())
	start := func(name string, env, args []string) (func(context.Context), error) {
		started = append(started, name+": "+strings.Join(env, " ")+" "+strings.Join(args, " "))
		return func(context.Context) { stopped = append(stopped, name) }, nil
	}
	r.Programs = map[string]Program{"virtual-kubelet": start}
	step(t, r) // it becomes running
	pod, _ := step(t, r)
	step(t, r)
	want := "gw-milan: POD_IP=10.202.0.10 POD_NAME=gw-milan VIRTUALNODE_NAME=milan --node-ip=10.202.0.10 " +
		"--nodename=milan --label=$(NOBODY)"
	if len(started) != 1 || started[0] != want || len(stopped) != 0 {
		t.Errorf("started %q, stopped %q", started, stopped)
	}
	if err := r.client.Delete(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	step(t, r)
	if !slices.Equal(stopped, []string{"gw-milan"}) {
		t.Errorf("stopped %q", stopped)
	}
}

func TestAProgramThatRefersToWhatItsPodHasNotIsNotStarted(t *testing.T) {
	pod := virtualKubelet()
	container := &pod.Spec.Containers[0]
	if _, _, _, err := Command(pod, container); err == nil || !strings.Contains(err.Error(), "status.podIP") {
		t.Errorf("the error is %v", err)
	}
	container.Env[0].ValueFrom = &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{Key: "token"}}
	if _, _, _, err := Command(pod, container); err == nil || !strings.Contains(err.Error(), "POD_IP") {
		t.Errorf("the error is %v", err)
	}
}

func newPodIn(namespace, name string, phase corev1.PodPhase) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Status: corev1.PodStatus{Phase: phase},
	}
}

func TestWhatDependsOnAChangedObjectIsLookedAtAgain(t *testing.T) {
	in := fake.NewClientBuilder().WithObjects(
		newPodIn("one", "waiting", corev1.PodPending), newPodIn("one", "running", corev1.PodRunning),
		newPodIn("two", "waiting", corev1.PodPending),
	).Build()
	pending := Requeue(in, &corev1.PodList{}, func(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodPending })
	for name, test := range map[string]struct {
		changed client.Object
		want    []string
	}{
		"in its namespace": {
			&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "one"}}, []string{"one/waiting"},
		},
		"everywhere if it is in none":            {&corev1.Node{}, []string{"one/waiting", "two/waiting"}},
		"everywhere if no object has changed":    {nil, []string{"one/waiting", "two/waiting"}},
		"nowhere if nothing there depends on it": {&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "three"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
			defer queue.ShutDown()
			pending.Generic(t.Context(), event.GenericEvent{Object: test.changed}, queue)
			var got []string
			for queue.Len() > 0 {
				request, _ := queue.Get()
				got = append(got, request.String())
			}
			slices.Sort(got)
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
