package kube

import (
	"context"
	"encoding/base64"
	"path/filepath"
	"slices"
	"strings"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/external-network/remapping"
	"github.com/liqotech/liqo/pkg/vkMachinery"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/cert"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kubelet"
)

// peeringControllers are the controllers of kube-controller-manager that a peering needs in
// addition. They sign the consumer's certificates, create endpoints for reflected Services, and
// create credentials for offloaded pods.
var peeringControllers = []string{
	"certificatesigningrequest-signing-controller", "endpointslice-controller", "root-ca-certificate-publisher-controller",
	"serviceaccount-token-controller",
}

// peeringControllerFlags are the keys and certificates of these controllers.
func (c *Cluster) peeringControllerFlags() ([]string, error) {
	folder := c.plane.APIServer.CertDir
	root := filepath.Join(folder, "root-ca.crt")
	if err := cert.WriteCert(root, c.config.CAData); err != nil {
		return nil, err
	}
	return []string{
		"--cluster-signing-cert-file=" + c.authority.certFile(),
		"--cluster-signing-key-file=" + c.authority.keyFile(),
		"--root-ca-file=" + root,
		// The API server signs with this key of envtest, too.
		"--service-account-private-key-file=" + filepath.Join(folder, "sa-signer.key"),
	}, nil
}

// apiServerFlags tell Liqo the address of the cluster's API server. Without it, Liqo would use the address of a control
// plane's node.
func (c *Cluster) apiServerFlags() []string {
	return []string{
		"--api-server-address-override=" + c.config.Host,
		"--ca-override=" + base64.StdEncoding.EncodeToString(c.config.CAData),
	}
}

// awaitAPIServerRemapping waits until Liqo has created the rules by which offloaded pods will reach
// this cluster's API server. They exist before any peering.
func (c *Cluster) awaitAPIServerRemapping(ctx context.Context) error {
	for _, ip := range []string{consts.IPTypeAPIServer, consts.IPTypeAPIServerProxy} {
		rules := &networkingv1beta1.FirewallConfiguration{
			ObjectMeta: metav1.ObjectMeta{Namespace: liqoNamespace, Name: ip + "-" + remapping.TableIPMappingGwName},
		}
		if err := Await(ctx, c.client, rules, exists, named(rules)...); err != nil {
			return err
		}
	}
	return nil
}

// startCRDReplicator starts the program that copies Liqo's objects to peered clusters. It does not
// wait, because the program works only with a peering.
func (c *Cluster) startCRDReplicator(ctx context.Context) error {
	args, err := c.chartFlags(binaries.LiqoCRDReplicator)
	if err != nil {
		return err
	}
	return c.run(ctx, binaries.LiqoCRDReplicator, args.replace("--metrics-address=0"), nil)
}

// podVariables are the environment variables that Liqo sets in the pod of a virtual kubelet. It runs on the machine,
// without a container, so whoever creates a pod must not choose its credentials, libraries or proxies.
var podVariables = []string{"POD_IP", "POD_NAME", "POD_NAMESPACE", "VIRTUALNODE_NAME"}

// fileFlags are the flags of a virtual kubelet that read or write a file of the machine.
var fileFlags = []string{"home-kubeconfig", "log-dir", "log-file"}

// ofLiqo returns those variables, of the form KEY=value, that Liqo sets.
func ofLiqo(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return !slices.Contains(podVariables, name)
	})
}

// withoutFiles returns the arguments without those that name a file of the machine.
func withoutFiles(args []string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		name, _, hasValue := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		if !strings.HasPrefix(args[i], "-") || !slices.Contains(fileFlags, strings.ReplaceAll(name, "_", "-")) {
			kept = append(kept, args[i])
		} else if !hasValue {
			i++ // the value is the next argument
		}
	}
	return kept
}

// podPrograms are the programs that run for containers of pods: Liqo's virtual kubelet, one for
// each provider of this cluster.
func (c *Cluster) podPrograms() map[string]kubelet.Program {
	if !c.Peerable {
		return nil
	}
	return map[string]kubelet.Program{
		vkMachinery.ContainerName: func(name string, env, args []string) (stop func(context.Context), err error) {
			args = append(withoutFiles(args), "--home-kubeconfig="+c.programsKubeconfig())
			p, err := c.start(name, binaries.LiqoVirtualKubelet, ofLiqo(env), args)
			if err != nil {
				return nil, err
			}
			p.Keep()
			return func(ctx context.Context) { c.controllers.stopProcess(ctx, name) }, nil
		},
	}
}
