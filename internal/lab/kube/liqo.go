package kube

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
)

const loopback = "127.0.0.1"

// silent are flags of programs that would listen on every address of the machine.
var silent = []string{"--metrics-address=0", "--health-probe-address=0"}

// webhookFolder is the folder, below TMPDIR, in which Liqo's webhook server looks for its
// certificate.
const webhookFolder = "k8s-webhook-server/serving-certs"

// probeCIDR is a network that is reserved in Liqo's IPAM and released again, to check whether the
// IPAM works.
var probeCIDR = netip.MustParsePrefix("192.168.255.252/30")

// startWebhook runs Liqo's webhook server and makes the API server call it.
func (c *Cluster) startWebhook(ctx context.Context) error {
	if c.webhook == nil {
		webhook := &envtest.WebhookInstallOptions{LocalServingHost: loopback}
		if err := webhook.PrepWithoutInstalling(); err != nil {
			return err
		}
		folder := filepath.Join(c.Data, webhookFolder)
		if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
			return err
		}
		if err := os.Symlink(webhook.LocalServingCertDir, folder); err != nil {
			return err
		}
		c.webhook = webhook
	}
	env := []string{"TMPDIR=" + c.Data}
	args, err := c.chartFlags(binaries.LiqoWebhook)
	if err != nil {
		return err
	}
	args = args.without("--secret-name").replace(silent...) // the lab has made the certificates
	port, err := c.serve(ctx, binaries.LiqoWebhook, c.webhook.LocalServingPort, env, func(port int) []string {
		return args.replace(fmt.Sprintf("--webhook-port=%d", port))
	})
	if err != nil {
		return err
	}
	c.webhook.LocalServingPort = port
	return c.installWebhooks()
}

// installWebhooks registers the chart's webhooks at the address of the process.
func (c *Cluster) installWebhooks() error {
	objects, err := c.Chart.Render(c.Spec)
	if err != nil {
		return err
	}
	c.webhook.MutatingWebhooks, c.webhook.ValidatingWebhooks = nil, nil
	for _, obj := range objects {
		switch obj.GetKind() {
		case "MutatingWebhookConfiguration":
			var mutating admissionv1.MutatingWebhookConfiguration
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &mutating); err != nil {
				return err
			}
			c.webhook.MutatingWebhooks = append(c.webhook.MutatingWebhooks, &mutating)
		case "ValidatingWebhookConfiguration":
			var validating admissionv1.ValidatingWebhookConfiguration
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &validating); err != nil {
				return err
			}
			c.webhook.ValidatingWebhooks = append(c.webhook.ValidatingWebhooks, &validating)
		}
	}
	if err := c.webhook.ModifyWebhookDefinitions(); err != nil {
		return err
	}
	return c.webhook.Install(c.config)
}

// startLiqo runs Liqo's IPAM and controllers and waits until they work.
func (c *Cluster) startLiqo(ctx context.Context) error {
	args, err := c.chartFlags(binaries.LiqoIPAM)
	if err != nil {
		return err
	}
	port, err := c.serve(ctx, binaries.LiqoIPAM, 0, nil, func(port int) []string {
		return args.replace(fmt.Sprintf("--port=%d", port))
	})
	if err != nil {
		return err
	}
	c.ipam = net.JoinHostPort(loopback, strconv.Itoa(port))
	if c.Peerable {
		if err := c.startCRDReplicator(ctx); err != nil {
			return err
		}
	}
	if c.liqoStopped {
		return nil
	}
	return c.startLiqoControllers(ctx)
}

// startLiqoControllers runs Liqo's controllers and waits until they work.
func (c *Cluster) startLiqoControllers(ctx context.Context) error {
	args, err := c.chartFlags(binaries.LiqoControllerManager)
	if err != nil {
		return err
	}
	args = args.replace(silent...).replace("--ipam-server="+c.ipam).change(
		fmt.Sprintf("--authentication-enabled=%t", c.Peerable),
		fmt.Sprintf("--offloading-enabled=%t", c.Peerable),
		fmt.Sprintf("--enable-api-server-ip-remapping=%t", c.Peerable),
		"--enable-storage=false", // a lab has no storage
	)
	if c.Peerable {
		args = args.change("--default-limits-enforcement=None").replace(c.apiServerFlags()...)
	}
	return c.run(ctx, binaries.LiqoControllerManager, args, func(ctx context.Context) error {
		external := &ipamv1alpha1.Network{ObjectMeta: metav1.ObjectMeta{Namespace: liqoNamespace, Name: "external-cidr"}}
		if err := Await(ctx, c.client, external, hasCIDR, named(external)...); err != nil {
			return err
		}
		for _, n := range c.Nodes() {
			node := &networkingv1beta1.InternalNode{ObjectMeta: metav1.ObjectMeta{Name: n.Name}}
			if err := Await(ctx, c.client, node, exists, named(node)...); err != nil {
				return err
			}
		}
		if c.Peerable {
			if err := c.awaitAPIServerRemapping(ctx); err != nil {
				return err
			}
		}
		return c.probeLiqo(ctx)
	})
}

// probeLiqo makes Liqo's controllers and IPAM reserve a network and release it. The status of older
// objects does not show whether they work now.
func (c *Cluster) probeLiqo(ctx context.Context) error {
	probe := &ipamv1alpha1.Network{
		ObjectMeta: metav1.ObjectMeta{Namespace: liqoNamespace, Name: "lab-probe"},
		Spec:       ipamv1alpha1.NetworkSpec{CIDR: networkingv1beta1.CIDR(probeCIDR.String())},
	}
	if err := c.client.Create(ctx, probe); err != nil {
		return err
	}
	if err := Await(ctx, c.client, probe, hasCIDR, named(probe)...); err != nil {
		return err
	}
	var probes ipamv1alpha1.NetworkList
	if err := c.client.List(ctx, &probes, named(probe)...); err != nil {
		return err
	}
	if err := c.client.Delete(ctx, probe); err != nil {
		return err
	}
	return AwaitDeleted(ctx, c.client, &probes, named(probe)...)
}

func hasCIDR(network *ipamv1alpha1.Network) bool { return network.Status.CIDR != "" }

// SetLiqo stops or starts Liqo's controllers, the program liqo-controller-manager.
func (c *Cluster) SetLiqo(ctx context.Context, running bool) error {
	c.changing.Lock()
	defer c.changing.Unlock()
	if !c.HasLiqo() {
		return fmt.Errorf("cluster %s has no Liqo", c.Name)
	}
	if c.liqoStopped == !running {
		return nil
	}
	c.liqoStopped = !running
	switch {
	case c.controllers == nil: // takes effect when the API server starts
		return nil
	case running:
		return c.startLiqoControllers(ctx)
	}
	c.controllers.stopProcess(ctx, binaries.LiqoControllerManager.Name)
	return nil
}
