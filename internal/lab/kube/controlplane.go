package kube

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/process"
)

// Scheme has the kinds that the lab itself reads and writes.
var Scheme = runtime.NewScheme()

func init() {
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, liqov1beta1.AddToScheme, networkingv1beta1.AddToScheme,
		ipamv1alpha1.AddToScheme,
	} {
		utilruntime.Must(add(Scheme)) // fails only for types that contradict each other
	}
}

// adminName is the user name of the administrator and of the cluster's own programs, and adminGroup the group
// whose members may do everything.
const adminName, adminGroup = "admin", "system:masters"

// qps and burst are the limits of the lab's own clients. They are high because there are no other
// clients to protect.
const qps, burst = 500, 1000

// startControlPlane starts etcd and kube-apiserver and creates the credentials of the administrator
// and of the operator. If another process takes the chosen ports, it tries other ports.
func (c *Cluster) startControlPlane(ctx context.Context) error {
	var err error
	for range portAttempts {
		err = c.tryControlPlane(ctx)
		if err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), portTaken) {
			break
		}
	}
	if err != nil {
		return err
	}
	admin, err := c.plane.AddUser(
		envtest.User{Name: adminName, Groups: []string{adminGroup}}, &rest.Config{QPS: qps, Burst: burst},
	)
	if err != nil {
		return err
	}
	operator, err := c.plane.AddUser(envtest.User{Name: operatorName, Groups: []string{adminGroup}}, nil)
	if err != nil {
		return err
	}
	c.config, c.operator = c.authority.authenticateProgram(admin.Config()), operator.Config()
	c.config.Host = strings.TrimSuffix(c.config.Host, "/")
	if c.client, err = client.NewWithWatch(c.config, client.Options{Scheme: Scheme}); err != nil {
		return err
	}
	return errors.Join(
		clientcmd.WriteToFile(*c.kubeconfig(admin.Config()), c.KubeconfigFile()),
		clientcmd.WriteToFile(*c.kubeconfig(c.config), c.programsKubeconfig()),
	)
}

// uncached are built-in resources that hardly anything in a lab reads. The API server needs no watch cache for them:
// each costs time when it starts, and wakes up every second afterwards. Without these, a start takes two thirds of the
// CPU time.
var uncached = []string{
	"podtemplates", "replicationcontrollers", "endpoints", "persistentvolumes", "persistentvolumeclaims", "limitranges",
	"resourcequotas", "controllerrevisions.apps", "statefulsets.apps", "cronjobs.batch", "jobs.batch",
	"horizontalpodautoscalers.autoscaling", "poddisruptionbudgets.policy", "runtimeclasses.node.k8s.io",
	"ingresses.networking.k8s.io", "ingressclasses.networking.k8s.io", "networkpolicies.networking.k8s.io",
	"storageclasses.storage.k8s.io", "volumeattachments.storage.k8s.io", "volumeattributesclasses.storage.k8s.io",
	"csinodes.storage.k8s.io", "csidrivers.storage.k8s.io", "csistoragecapacities.storage.k8s.io",
	"resourceclaims.resource.k8s.io", "resourceclaimtemplates.resource.k8s.io", "deviceclasses.resource.k8s.io",
	"resourceslices.resource.k8s.io", "daemonsets.apps", "priorityclasses.scheduling.k8s.io",
	"servicecidrs.networking.k8s.io", "ipaddresses.networking.k8s.io", "flowschemas.flowcontrol.apiserver.k8s.io",
	"prioritylevelconfigurations.flowcontrol.apiserver.k8s.io", "validatingadmissionpolicies.admissionregistration.k8s.io",
	"validatingadmissionpolicybindings.admissionregistration.k8s.io",
}

// tryControlPlane starts etcd and kube-apiserver with nothing but Liqo's custom resource definitions, on
// ports that are free at the moment.
func (c *Cluster) tryControlPlane(ctx context.Context) error {
	etcdData, certificates := filepath.Join(c.Data, "etcd"), filepath.Join(c.Data, "certificates")
	for _, folder := range []string{etcdData, certificates} {
		if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o700)); err != nil {
			return err
		}
	}
	var err error
	if c.authority, err = newAuthority(c.Name); err != nil {
		return err
	}
	etcdLog, err := os.Create(c.log("etcd"))
	if err != nil {
		return err
	}
	defer etcdLog.Close()
	// The API server's log stays open, because the API server may be started again.
	serverLog, err := os.Create(c.log("kube-apiserver"))
	if err != nil {
		return err
	}
	if err := c.configureAPIServer(certificates, serverLog); err != nil {
		return err
	}
	if err := c.configureEtcd(etcdData, certificates, etcdLog); err != nil {
		return err
	}
	if err := c.plane.Etcd.Start(); err != nil {
		return process.WithLog(err, c.log("etcd"))
	}
	if c.HasLiqo() {
		if err := c.installCRDs(ctx); err != nil {
			return errors.Join(fmt.Errorf("custom resources of Liqo: %w", err), c.plane.Etcd.Stop())
		}
	}
	if err := c.startAPIServer(); err != nil {
		return errors.Join(err, c.plane.Etcd.Stop())
	}
	return nil
}

// configureAPIServer begins the control plane, with kube-apiserver and its flags.
func (c *Cluster) configureAPIServer(certificates string, log *os.File) error {
	policy, err := c.writeAuditPolicy()
	if err != nil {
		return err
	}
	c.plane = &envtest.ControlPlane{
		APIServer: &envtest.APIServer{
			Path:          c.Programs[binaries.KubeAPIServer.Name],
			CertDir:       certificates,
			Out:           log,
			Err:           log,
			StartTimeout:  startTimeout,
			SecureServing: envtest.SecureServing{Authn: c.authority},
		},
	}
	c.plane.APIServer.Configure().
		Set("service-cluster-ip-range", c.ServiceCIDR.String()).
		Set("endpoint-reconciler-type", "none").
		Set("audit-policy-file", policy).
		// There are no other users, from whom a lab's clients would have to be protected.
		Set("enable-priority-and-fairness", "false").
		Set("watch-cache-sizes", strings.Join(uncached, "#0,")+"#0").
		Set("audit-log-path", c.AuditLog()).
		// Otherwise, it waits a minute for clients that watch when it is stopped.
		Set("shutdown-watch-termination-grace-period", "1s").
		// Gateways have their own ServiceAccounts. As in any cluster, their pods must wait for
		// them.
		Disable("disable-admission-plugins")
	return nil
}

// openAPIRace is in the log of a kube-apiserver that has crashed at its start. It reads the merged OpenAPI document
// before all parts have their first value, if the machine is busy: kube-openapi's LastSuccess has no nil check.
const openAPIRace = "k8s.io/kube-openapi/pkg/cached.(*LastSuccess[...]).Get"

// startAPIServer starts kube-apiserver. If it crashes for the reason above, it is started again, as by a kubelet.
func (c *Cluster) startAPIServer() error {
	start := func() error {
		if err := c.plane.APIServer.Start(); err != nil {
			return process.WithLog(err, c.log("kube-apiserver"))
		}
		return nil
	}
	err := start()
	if err != nil && strings.Contains(err.Error(), openAPIRace) {
		return start()
	}
	return err
}

// KubeconfigFile returns the file with the administrator's credentials.
func (c *Cluster) KubeconfigFile() string { return filepath.Join(c.Data, "kubeconfig") }

// programsKubeconfig returns the file with the credentials of the cluster's own programs.
func (c *Cluster) programsKubeconfig() string { return filepath.Join(c.Data, "programs.kubeconfig") }

// OperatorKubeconfig returns the operator's credentials, in a context with the cluster's name.
func (c *Cluster) OperatorKubeconfig() *clientcmdapi.Config { return c.kubeconfig(c.operator) }

// kubeconfig returns a user's credentials in a context with the cluster's name.
func (c *Cluster) kubeconfig(user *rest.Config) *clientcmdapi.Config {
	config := clientcmdapi.NewConfig()
	config.Clusters[c.Name] = &clientcmdapi.Cluster{Server: c.config.Host, CertificateAuthorityData: c.config.CAData}
	config.AuthInfos[c.Name] = &clientcmdapi.AuthInfo{
		ClientCertificateData: user.CertData, ClientKeyData: user.KeyData, Token: user.BearerToken,
	}
	config.Contexts[c.Name] = &clientcmdapi.Context{Cluster: c.Name, AuthInfo: c.Name}
	config.CurrentContext = c.Name
	return config
}

// operatorName is the user name of Terraform, liqoctl and people at the API server. The cluster's
// own programs use another one. So requests from outside can be distinguished from those of the
// cluster itself.
const operatorName = "operator"

// AuditLog is the file in which the API server records each request of the operator before it
// answers, a line of JSON each.
func (c *Cluster) AuditLog() string { return c.log("audit") }

// writeAuditPolicy makes the API server record who requested what, and only for the operator.
func (c *Cluster) writeAuditPolicy() (string, error) {
	return c.writeYAML("audit-policy.yaml", auditv1.Policy{
		TypeMeta: metav1.TypeMeta{APIVersion: auditv1.SchemeGroupVersion.String(), Kind: "Policy"},
		Rules:    []auditv1.PolicyRule{{Level: auditv1.LevelMetadata, Users: []string{operatorName}}},
		// A watch is answered when it ends. One line for each request, at its start, counts it at
		// once.
		OmitStages: []auditv1.Stage{auditv1.StageResponseStarted, auditv1.StageResponseComplete, auditv1.StagePanic},
	})
}

// writeYAML writes a file with the configuration of a program, and returns its path.
func (c *Cluster) writeYAML(name string, configuration any) (string, error) {
	content, err := yaml.Marshal(configuration)
	if err != nil {
		return "", err
	}
	file := filepath.Join(c.Data, name)
	return file, os.WriteFile(file, content, 0o600)
}
