package acceptance

import "testing"

func TestAccTheExamplesOfRolesOnTheOldestAndTheNewestKubernetes(t *testing.T) {
	if testing.Short() {
		t.Skip("It builds two more versions of Kubernetes.")
	}
	lab := useUpLab(t, []string{
		"--peer=europe=rome", "--peer=europe=milan", "--cluster=europe=10.200.0.0/16",
		"--cluster=rome=10.202.0.0/16,kubernetes=" + oldestKubernetes,
		"--cluster=milan=10.203.0.0/16,kubernetes=" + newestKubernetes,
	})
	t.Run("lives of shortcuts", lab.aRoleIsEnough)
	for name, role := range exampleRoles {
		t.Run("each right is needed to "+name, func(t *testing.T) { lab.everyRightIsNeeded(t, role) })
	}
	for _, leaf := range []string{"rome", "milan"} {
		t.Run("the rights end on "+leaf, func(t *testing.T) { lab.theRightsEndAtNetworks(t, leaf) })
	}
}
