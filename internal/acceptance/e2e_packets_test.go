package acceptance

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestAccPacketsCrossBetweenLeavesWithTheSamePodCIDR(t *testing.T) {
	lab := borrowRealLab(t)
	p := lab.join(t, "europe", overNodePort)
	if p.romeAt == lab.pods["rome"] || p.serverAt == lab.pods["europe"] {
		t.Errorf("the pods of Rome and Europe are not remapped: %s, %s", p.romeAt, p.serverAt)
	}
	p.works()
	lab.reachesNot(t, "rome", lab.pods["europe"]) // its own address is one of Rome's
	p.run("destroy", "-auto-approve")
	p.parted()
	p.update() // at the same addresses, where nothing was reached before
	p.works()
}

func TestAccPacketsCrossBetweenLeavesWithDifferentPodCIDRsAtThePodsOwnAddresses(t *testing.T) {
	lab := borrowRealLab(t)
	lab.reachesNot(t, "rome", lab.pods["milan"])
	lab.reachesNot(t, "milan", lab.pods["rome"])
	p := lab.join(t, "milan", overNodePort)
	if p.romeAt != lab.pods["rome"] || p.serverAt != lab.pods["milan"] {
		t.Errorf("the pods are at %s and %s, expected %v", p.romeAt, p.serverAt, lab.pods)
	}
	p.works()
	p.run("destroy", "-auto-approve")
	p.parted()
}

func TestAccPacketsCrossOverALoadBalancer(t *testing.T) {
	borrowRealLab(t).join(t, "milan", "").works()
}

func TestAccPacketsCrossThroughANATThatOnlyTheClientKnows(t *testing.T) {
	lab := borrowRealLab(t)
	p := lab.join(t, "milan", fmt.Sprintf(`
		server_gateway = { service_type = "NodePort", node_port = 31500 }
		client_gateway = { connect_address = %q }`, lab.cluster(t, "milan").NATIP))
	p.works()
	if status := p.run("state", "show", romeMilan); !strings.Contains(status, lab.nodeAddress(t, "milan")) {
		t.Errorf("the server's own endpoint is not in the state:\n%s", status)
	}
}

func TestAccPacketsAreAsLargeAsTheMTUSays(t *testing.T) {
	lab := borrowRealLab(t)
	const mtu, headers = 1280, 28
	p := lab.join(t, "milan", fmt.Sprintf("mtu = %d\n%s", mtu, overNodePort))
	p.works()
	sized := func(size int) probeResult {
		return lab.probe(t, "ping", "rome", p.serverAt, "--df", "--timeout=5s", "--size", strconv.Itoa(size-headers))
	}
	if result := sized(mtu); result.Lost > 0 {
		t.Errorf("packets of %d bytes: %+v", mtu, result)
	}
	if result := sized(mtu + 1); result.Received > 0 {
		t.Errorf("packets of %d bytes: %+v", mtu+1, result)
	}
}

func TestAccPacketsCrossWithKeysOfOnesOwn(t *testing.T) {
	lab := borrowRealLab(t)
	lab.haveKeys(t, "rome", "my-keys")
	lab.haveKeys(t, "milan", "my-keys")
	p := lab.join(t, "milan", `
		server_gateway   = { service_type = "NodePort", key_secret = "my-keys" }
		client_gateway   = { key_secret = "my-keys" }
		client_namespace = "default"
		server_namespace = "default"`)
	p.works()
	// A tenant namespace goes with its last pod. In any other one, Kubernetes ends a gateway's pod after the destroy.
	var pods []<-chan struct{}
	for _, cluster := range []string{"rome", "milan"} {
		pods = append(pods, lab.gone(t, cluster, &corev1.PodList{}, client.InNamespace("default"),
			client.HasLabels{consts.GatewayNameLabel}))
	}
	p.run("destroy", "-auto-approve")
	for _, gone := range pods {
		<-gone
	}
	var keys corev1.Secret
	key := client.ObjectKey{Namespace: "default", Name: "my-keys"}
	if err := lab.client(t, "milan").Get(t.Context(), key, &keys); err != nil {
		t.Error(err)
	}
}

func TestAccPacketsCrossWithoutALossOnceTheFirstOneHas(t *testing.T) {
	lab := borrowRealLab(t)
	p := lab.join(t, "europe", overNodePort) // both leaves have the same pod CIDR, so all addresses are translated
	p.run("destroy", "-auto-approve")
	create := p.command(t.Context(), "apply", "-auto-approve")
	if err := create.Start(); err != nil {
		t.Fatal(err)
	}
	lab.probe(t, "ping", "rome", p.serverAt, "--until-answer", "--count=6000", "--timeout=100ms")
	ping := lab.startProbe(t, "ping", "rome", p.serverAt, "--count=1000000", "--interval=10ms", patiently)
	if err := create.Wait(); err != nil {
		t.Fatal(err)
	}
	lab.reaches(t, "europe", p.romeAt)
	if result := ping(os.Interrupt); result.Lost > 0 || result.Received == 0 {
		t.Errorf("packets are lost while the create records that it is complete: %+v", result)
	}
}
