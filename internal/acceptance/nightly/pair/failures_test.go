package pair

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	tenantnamespace "github.com/liqotech/liqo/pkg/tenantNamespace"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
	"github.com/leafmesh/terraform-provider-liqo/internal/owner"
)

func TestAccFailureOfAPodThatPodSecurityRejectsHasItsReason(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	namespace := tenantnamespace.NewManager(nil, nil).ForgeNamespace("rome", nil)
	namespace.Labels[owner.ManagedByLabel] = owner.ManagedBy // so that the provider removes it
	namespace.Labels["pod-security.kubernetes.io/enforce"] = "restricted"
	lab.Have(t, "milan", namespace)
	acctest.Apply(t, resource.TestStep{
		Config: lab.Between("milan", `timeouts = { create = "`+acctest.Ample+`" }`),
		ExpectError: acctest.Message(`The gateway's pod is refused on leaf "milan"`,
			`Time ran out while waiting for … on "milan".`,
			`Deployment liqo-tenant-rome/gw-rome can't create its pod: pods "gw-rome-…" is forbidden: `+
				`violates PodSecurity "restricted:latest": privileged (…`,
			`…A gateway's pod is privileged and forwards packets. The leaf's policies, quotas and Pod Security labels `+
				`must allow this in namespace liqo-tenant-rome.`,
			`How far it got:`, acctest.HelpAt("gateway-pod-refused")),
	})
}
