package peerings

import (
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// page is what the test below follows, with its own files and commands.
const page = "templates/guides/send-traffic.md.tmpl"

// kubectl is a program in place of kubectl. The lab's pods run no programs and its leaves have no DNS: so curl in a pod
// becomes a request from the pod's network, to the address that the name has in the pod's leaf.
const kubectl = `#!/bin/sh -e
[ "$5" = exec ] || exec '%[1]s/kubectl' "$@"
pod=$('%[1]s/kubectl' --context "$2" -n "$4" get pods -l "app=${6#deploy/}" \
    -o 'jsonpath={.items[0].spec.nodeName}/{.items[0].metadata.namespace}/{.items[0].metadata.name}')
for url; do :; done
host=${url#http://} namespace=$4
case $host in *.*) namespace=${host#*.} ;; esac
address=$('%[1]s/kubectl' --context "${pod%%%%/*}" -n "$namespace" get service "${host%%%%.*}" \
    -o 'jsonpath={.spec.clusterIP}' 2>/dev/null) || address=$host
exec '%[2]s' http "$pod" "http://$address" --dir '%[3]s' --until-answer --count=100 --timeout=300ms
`

// follower is a reader of the page. Rome and Milan each have reserved the other one's pod CIDR, so they remap it.
type follower struct {
	shop
	*acctest.Project
	real *acctest.RealLab
}

func newFollower(t *testing.T) *follower {
	t.Helper()
	lab := acctest.WithPods(t, acctest.UseUp(t, append([]string{"--dataplane=real"}, peered...)))
	for leaf, other := range acctest.Other {
		lab.Have(t, leaf, &ipamv1alpha1.Network{
			ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: "reserved", Labels: map[string]string{
				"ipam.liqo.io/network-type": "reserved", "ipam.liqo.io/network-not-remapped": "true",
			}},
			Spec: ipamv1alpha1.NetworkSpec{CIDR: networkingv1beta1.CIDR(lab.Cluster(t, other).PodCIDR)},
		})
		acctest.Await(t, lab.Lab, leaf, &ipamv1alpha1.NetworkList{}, "reserved", func(n *ipamv1alpha1.Network) bool {
			return n.Status.CIDR != ""
		})
	}
	f := &follower{shop{lab.Lab}, lab.NewProject(t, t.TempDir()), lab}
	f.WithProgram("kubectl", fmt.Sprintf(kubectl, acctest.ExamplePrograms(t), acctest.LabProgram, lab.Dir))
	f.WithProgram("liqoctl", "#!/bin/sh\nexec '"+acctest.LiqoctlProgram+"' \"$@\"\n")
	return f
}

// follow runs the commands of a block of a section. It returns the last answer to a request: the pod, and the source
// that it sees.
func (f *follower) follow(section string, block int) (pod string, source netip.Addr) {
	f.T.Helper()
	output := f.Shell(acctest.BlocksOf(f.T, acctest.SectionOf(f.T, page, section), "shell")[block])
	f.T.Logf("%s, %d:\n%s", section, block, output)
	answers := regexp.MustCompile(`"name":"([^"]*)","source":"([^"]*)"`).FindAllStringSubmatch(output, -1)
	if answers == nil {
		return "", netip.Addr{}
	}
	answer := answers[len(answers)-1]
	source, err := netip.ParseAddr(answer[2])
	acctest.Must(f.T, err)
	return answer[1], source
}

func TestAccPacketsTakeTheShortcutAsThePageSays(t *testing.T) {
	f := newFollower(t)
	offloaded := acctest.SectionOf(t, page, "An offloaded Service")
	f.Write("shop.yaml", acctest.BlockOf(t, offloaded, "yaml"))
	f.Configure(acctest.BlockOf(t, offloaded, "terraform"))
	f.Run("init")
	service := func(cluster, namespace, name string) string { // its cluster IP
		t.Helper()
		return acctest.Get[corev1.Service](t, f.Lab, cluster, namespace, name).Spec.ClusterIP
	}
	fromWeb := func(pod string) {
		t.Helper()
		if !strings.HasPrefix(pod, "milan/shop/web-") {
			t.Errorf("%q answers", pod)
		}
	}

	t.Log("A Service that is offloaded, through Europe and then over the shortcut. A connection keeps its path.")
	pod, through := f.follow("An offloaded Service", 0)
	fromWeb(pod)
	web := service("rome", "shop", "web")
	if other := f.real.Probe(t, "http", "rome", "http://"+web, "--count=1"); other.Answer.Source != through.String() {
		t.Errorf("through Europe, two clients come from %s and from %s", through, other.Answer.Source)
	}
	older := f.real.StartFlow(t, "tcp", "rome", web, "1m")
	pod, over := f.follow("An offloaded Service", 1)
	fromWeb(pod)
	acctest.Says(t, f.Run("state", "show", webDirect), `status = "Direct"`)
	seen := netip.MustParsePrefix(f.Run("output", "-raw", "rome_seen_from_milan"))
	if !seen.Contains(over) || seen.Contains(through) || seen.String() == f.Cluster(t, "rome").PodCIDR {
		t.Errorf("Milan sees Rome in %s; the sources were %s through Europe and %s over the shortcut", seen, through, over)
	}
	cut := f.real.Link(t, "rome", "milan")
	cut("--down")
	f.real.ReachesNot(t, "rome", f.Evaluate(fmt.Sprintf("provider::liqo::remap_ip(%q, "+
		"one(liqo_shortcut.rome_milan.server_network.pod_cidrs), "+
		"one(liqo_shortcut.rome_milan.server_network.remapped_pod_cidrs))", f.real.Pods["milan"])))
	if result := older(os.Interrupt); result.Broken || result.Silence > 1000 {
		t.Errorf("a connection through Europe took another path: %+v", result)
	}
	cut("--up")

	t.Log("A pod by its address, a Service that is not offloaded, and what the name of a headless one would lead to.")
	pod, source := f.follow("A pod by its address", 0)
	if fromWeb(pod); source != over {
		t.Errorf("the pod sees %s, and as one of the Service %s", source, over)
	}
	f.real.Output(t, "run", "milan/default/stock", "--node", "milan-node")
	pod, source = f.follow("A Service that is not offloaded", 0)
	if pod != "milan/default/stock" || source != over {
		t.Errorf("%s answers, and sees %s", pod, source)
	}
	f.Have(t, "europe", &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: "headless", Annotations: map[string]string{"liqo.io/use-direct-connections": "true"},
		},
		Spec: corev1.ServiceSpec{
			ClusterIP: corev1.ClusterIPNone, Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80}},
		},
	})
	milan := netip.MustParsePrefix(f.Evaluate("one(liqo_shortcut.rome_milan.server_network.remapped_pod_cidrs)"))
	var address string
	f.endpoint(t, "headless", func(endpoint discoveryv1.Endpoint) bool {
		address = endpoint.Addresses[0]
		return milan.Contains(netip.MustParseAddr(address)) && ptr.Deref(endpoint.Conditions.Ready, false)
	})
	// An Ingress controller asks this address, or the Service. It is a pod that Europe has not offloaded.
	for _, asked := range []string{address, web} {
		result := f.real.Probe(t, "http", "rome", "http://"+asked, "--count=1", "--timeout=5s")
		if fromWeb(result.Answer.Name); !seen.Contains(netip.MustParseAddr(result.Answer.Source)) {
			t.Errorf("%s is answered %+v", asked, result)
		}
	}
	f.follow("NetworkPolicy", 0)

	f.fails(t, web, service("rome", "default", "stock"), address)
}

// endpoint returns once Rome has an endpoint of a Service of the shop as expected.
func (f *follower) endpoint(t *testing.T, service string, expected func(discoveryv1.Endpoint) bool) {
	t.Helper()
	acctest.AwaitAny(t, f.Lab, "rome", &discoveryv1.EndpointSliceList{}, func(s *discoveryv1.EndpointSlice) bool {
		return len(s.Endpoints) > 0 && expected(s.Endpoints[0])
	}, client.InNamespace("shop"), client.MatchingLabels{discoveryv1.LabelServiceName: service})
}

// fails tries what the page says about failures, with the direct Service, the Service that is not offloaded, and a pod
// of Milan.
func (f *follower) fails(t *testing.T, web, stock, pod string) {
	t.Helper()
	works := func(what ...string) {
		t.Helper()
		for _, address := range what {
			result := f.real.Probe(t, "http", "rome", "http://"+address, "--count=20", "--interval=50ms", "--timeout=3s")
			if result.Lost > 0 {
				t.Errorf("%s does not always answer: %+v", address, result)
			}
		}
	}
	isLost := func(address string) {
		t.Helper()
		result := f.real.Probe(t, "http", "rome", "http://"+address, "--count=3", "--timeout=1s")
		if result.Received > 0 {
			t.Errorf("%s answers: %+v", address, result)
		}
	}
	isReady := func(ready bool) {
		t.Helper()
		f.endpoint(t, "web", func(endpoint discoveryv1.Endpoint) bool {
			return ptr.Deref(endpoint.Conditions.Ready, true) == ready
		})
	}

	t.Log("Europe is down: first its API server, then its network.")
	flow := f.real.StartFlow(t, "tcp", "rome", web, "1m")
	f.real.Command(t, "stop-apiserver", "europe")
	f.real.Probe(t, "ping", "rome", pod, "--count=30", "--interval=1s")
	works(web, stock, pod)
	f.real.Command(t, "start-apiserver", "europe")
	links := []func(...string){f.real.Link(t, "europe", "rome"), f.real.Link(t, "europe", "milan")}
	for _, link := range links {
		link("--down")
	}
	began := time.Now()
	isReady(false)
	t.Logf("After %s, the pods of the direct Service are not ready.", time.Since(began))
	works(stock, pod)
	isLost(web)
	for _, link := range links {
		link("--up")
	}
	began = time.Now()
	isReady(true)
	f.real.GetsAnswer(t, "rome", web)
	t.Logf("After %s, the direct Service is back.", time.Since(began))
	if result := flow(os.Interrupt); result.Broken || result.Silence > 1000 {
		t.Errorf("an established connection was interrupted: %+v", result)
	}

	t.Log("The shortcut is down.")
	flow = f.real.StartFlow(t, "tcp", "rome", web, "2m")
	cut := f.real.Link(t, "rome", "milan")
	cut("--down")
	for _, address := range []string{web, stock, pod} {
		isLost(address)
	}
	f.follow("What a change or a failure does", 0)
	f.real.GetsAnswer(t, "rome", web)
	works(web)
	for _, address := range []string{stock, pod} {
		isLost(address)
	}
	cut("--up")
	f.real.GetsAnswer(t, "rome", stock)
	works(web, stock, pod)
	if result := flow(os.Interrupt); result.Broken {
		t.Errorf("an established connection does not go on: %+v", result)
	}

	t.Log("The shortcut is destroyed.")
	f.Run("apply", "-auto-approve")
	f.real.GetsAnswer(t, "rome", web)
	flow = f.real.StartFlow(t, "tcp", "rome", web, "5s")
	f.Run("destroy", "-auto-approve")
	f.real.GetsAnswer(t, "rome", web)
	if result := flow(os.Interrupt); !result.Broken {
		t.Errorf("a connection over the shortcut goes on without it: %+v", result)
	}
}
