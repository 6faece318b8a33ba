package rights

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccTheExamplesOfRolesOnTheOldestAndTheNewestKubernetes(t *testing.T) {
	if testing.Short() {
		t.Skip("It builds two more versions of Kubernetes.")
	}
	lab := acctest.UseUp(t, []string{
		"--peer=europe=rome", "--peer=europe=milan", "--cluster=europe=10.200.0.0/16",
		"--cluster=rome=10.202.0.0/16,kubernetes=" + acctest.OldestKubernetes,
		"--cluster=milan=10.203.0.0/16,kubernetes=" + acctest.NewestKubernetes,
	})
	t.Run("lives of shortcuts", func(t *testing.T) { aRoleIsEnough(t, lab) })
	for name, role := range exampleRoles {
		t.Run("each right is needed to "+name, func(t *testing.T) { everyRightIsNeeded(t, lab, role) })
	}
	for _, leaf := range []string{"rome", "milan"} {
		t.Run("the rights end on "+leaf, func(t *testing.T) { lab.TheRightsEndAtNetworks(t, leaf) })
	}
}
