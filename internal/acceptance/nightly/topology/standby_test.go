package topology

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccTheExampleOfAStandbyAtEachEnd(t *testing.T) {
	lab := acctest.Borrow(t, []string{"--cluster=rome=10.202.0.0/16,nodes=2", "--cluster=milan=10.203.0.0/16,nodes=2"})
	p := lab.Example(t, "high-availability")
	p.Apply()
	acctest.Says(t, p.Run("state", "show", "-no-color", acctest.RomeMilan), `lease_duration = "4s"`, `replicas = 2`)
	for leaf, remote := range map[string]string{"rome": "milan", "milan": "rome"} {
		deployment := acctest.Get[appsv1.Deployment](t, lab, leaf, "liqo-tenant-"+remote, "gw-"+remote)
		if spec := deployment.Spec; *spec.Replicas != 2 || spec.Strategy.Type != appsv1.RollingUpdateDeploymentStrategyType ||
			len(spec.Template.Spec.Tolerations) < 2 || spec.Template.Spec.TopologySpreadConstraints == nil {
			t.Errorf("on %s, the Deployment of the gateway is %+v", leaf, spec)
		}
	}
}
