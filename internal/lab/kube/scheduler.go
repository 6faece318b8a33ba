package kube

import (
	"context"
	"os"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	componentconfig "k8s.io/component-base/config/v1alpha1"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
)

// startKubeScheduler starts the scheduler, which binds pods to the node. It does not wait: pods do,
// and the scheduler works before Liqo does.
func (c *Cluster) startKubeScheduler(context.Context) error {
	file, err := c.writeSchedulerConfig()
	if err != nil {
		return err
	}
	p, err := c.start(binaries.KubeScheduler, nil, "--config="+file, "--secure-port=0")
	if err != nil {
		return err
	}
	p.Keep()
	return nil
}

// writeSchedulerConfig configures the scheduler as in any cluster, but without its plugins for
// devices, because a lab has none. Its message for a pod that fits on no node is then the same as
// in older versions of Kubernetes, which leaves also have.
func (c *Cluster) writeSchedulerConfig() (string, error) {
	config, err := yaml.Marshal(schedulerconfig.KubeSchedulerConfiguration{
		TypeMeta: metav1.TypeMeta{
			APIVersion: schedulerconfig.SchemeGroupVersion.String(), Kind: "KubeSchedulerConfiguration",
		},
		LeaderElection: componentconfig.LeaderElectionConfiguration{LeaderElect: new(false)},
		ClientConnection: componentconfig.ClientConnectionConfiguration{
			Kubeconfig: c.programsKubeconfig(), QPS: qps, Burst: burst,
		},
		Profiles: []schedulerconfig.KubeSchedulerProfile{{
			Plugins: &schedulerconfig.Plugins{
				MultiPoint: schedulerconfig.PluginSet{Disabled: []schedulerconfig.Plugin{{Name: "DynamicResources"}}},
			},
		}},
	})
	if err != nil {
		return "", err
	}
	file := filepath.Join(c.Data, "scheduler.yaml")
	return file, os.WriteFile(file, config, 0o600)
}
