package acceptance

import (
	"context"
	"fmt"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestAccPacketsCrossAgainAfterTheClustersOwnTroubles(t *testing.T) {
	lab := borrowRealLab(t)
	p := lab.join(t, "milan", overNodePort)
	for _, cluster := range []string{"milan", "rome"} {
		p.during("the gateway's pod of "+cluster+" is deleted", func() {
			lab.renewGateway(t, cluster)
			p.comesBack()
		})
		p.works()
	}
	// Liqo writes its firewall rules again at some time after a restart of its controllers or of the API server. A flow
	// that begins at that moment is lost, so not every single ping arrives.
	for _, cluster := range []string{"milan", "rome"} {
		p.during("Liqo's controllers on "+cluster+" are stopped and started", func() {
			lab.command(t, "set", cluster, "liqo=stopped")
			lab.command(t, "set", cluster, "liqo=running")
		})
		p.comesBack()
	}
	for _, cluster := range []string{"milan", "rome"} {
		p.during("the API server of "+cluster+" is stopped and started", func() {
			lab.command(t, "stop-apiserver", cluster)
			lab.command(t, "start-apiserver", cluster)
		})
		p.comesBack()
	}
	p.run("plan", "-detailed-exitcode") // nothing is left to repair
}

func TestAccPacketsCrossAgainAfterANodeGetsAnotherAddress(t *testing.T) {
	lab := borrowRealLab(t)
	home, elsewhere := lab.nodeAddress(t, "milan"), lab.cluster(t, "milan").NATIP // both lead to the node
	t.Cleanup(func() { lab.callNode(t, home) })
	p := lab.join(t, "milan", overNodePort)
	p.during("Milan's node gets another address, and an apply follows", func() {
		lab.moveGateway(t, elsewhere)
		says(t, p.run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
	})
	p.works()
	says(t, p.run("state", "show", romeMilan), elsewhere)
}

// renewGateway deletes the pod of a cluster's gateway, and returns when there is another one.
func (l *realLab) renewGateway(t *testing.T, cluster string) {
	t.Helper()
	renewed := l.nextGateway(t, cluster)
	if err := l.administrator(t, cluster).Delete(t.Context(), l.gatewayPod(t, cluster)); err != nil {
		t.Fatal(err)
	}
	renewed()
}

// nextGateway returns a function that returns when another pod of a cluster's gateway runs than now.
func (l *realLab) nextGateway(t *testing.T, cluster string) func() {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeToHappen)
	old := l.gatewayPod(t, cluster)
	pods, err := l.administrator(t, cluster).Watch(ctx, &corev1.PodList{}, client.InNamespace(old.Namespace))
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		defer cancel()
		defer pods.Stop()
		for change := range pods.ResultChan() {
			pod, ok := change.Object.(*corev1.Pod)
			if ok && pod.UID != old.UID && pod.Status.Phase == corev1.PodRunning {
				return
			}
		}
		t.Fatal("the gateway has no other pod")
	}
}

func TestAccPacketsThatALinkLosesAreSeenAndComeBackWithItOnTheirOwn(t *testing.T) {
	lab := borrowRealLab(t)
	p := lab.join(t, "milan", overNodePort)
	link := lab.link(t, "rome", "milan")
	view := lab.shownBy(t, `
		data "liqo_shortcut" "rome_milan" {
		  client = "rome"
		  server = "milan"
		}
		output "status" {
		  value = data.liqo_shortcut.rome_milan.status
		}`)
	is := func(status string) {
		t.Helper()
		p.run("apply", "-refresh-only", "-auto-approve")
		says(t, p.run("state", "show", romeMilan), fmt.Sprintf("status = %q", status))
		says(t, view.run("apply", "-auto-approve"), fmt.Sprintf("status = %q", status))
	}
	is("Connected")

	p.during("the link is cut until both leaves notice, and is healed", func() {
		link("--down")
		await(t, lab.Lab, "rome", &networkingv1beta1.ConnectionList{}, "gw-milan", failed)
		await(t, lab.Lab, "milan", &networkingv1beta1.ConnectionList{}, "gw-rome", failed)
		p.parted()
		// The plan fails if it would change anything.
		says(t, p.run("plan", "-detailed-exitcode"), `Warning: The tunnel from "rome" to "milan" is down`)
		is("Error")

		link("--up")
		await(t, lab.Lab, "rome", &networkingv1beta1.ConnectionList{}, "gw-milan", isUp)
		await(t, lab.Lab, "milan", &networkingv1beta1.ConnectionList{}, "gw-rome", isUp)
	})
	p.works()
	doesNotSay(t, p.run("plan", "-detailed-exitcode"), "Warning:")
	is("Connected")
}
