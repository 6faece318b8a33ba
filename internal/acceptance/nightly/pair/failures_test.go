package pair

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m, acctest.WithTenantNamespaces) }

func TestAccFailureOfAPodThatPodSecurityRejectsHasItsReason(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	enforce := func(level string) {
		lab.Patch(t, "milan", acctest.NamespaceNamed("liqo-tenant-rome"),
			`{"metadata": {"labels": {"pod-security.kubernetes.io/enforce": `+level+`}}}`)
	}
	enforce(`"restricted"`)
	t.Cleanup(func() { enforce("null") })
	patient := lab.Between("milan", `timeouts = { create = "24h" }`)
	acctest.Explains(t, lab.Written(t, patient).Refuses(patient), `The gateway's pod is refused on leaf "milan"`,
		`A refusal was found while waiting for … on "milan".`,
		`Deployment liqo-tenant-rome/gw-rome can't create its pod: pods "gw-rome-…" is forbidden: `+
			`violates PodSecurity "restricted:latest": privileged (…`,
		`…A gateway's pod is privileged and forwards packets. The leaf's policies, quotas and Pod Security labels `+
			`must allow this in namespace liqo-tenant-rome.`,
		`How far it got:`, acctest.HelpAt("gateway-pod-refused"))
}

// Liqo writes into its log alone that its Deployment is refused.
func TestAccFailureOfADeploymentThatAQuotaForbidsHasItsReason(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	none := corev1.ResourceList{"count/deployments.apps": apiresource.MustParse("0")}
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo-tenant-rome", Name: "no-deployments"},
		Spec:       corev1.ResourceQuotaSpec{Hard: none},
	}
	lab.Have(t, "milan", quota)
	quota.Status = corev1.ResourceQuotaStatus{Hard: none, Used: none} // no controller of the lab writes it
	acctest.Must(t, lab.Client(t, "milan").Status().Update(t.Context(), quota))
	deployment := acctest.Deployment(quota.Namespace, "a", map[string]string{"app": "a"},
		corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "a"}}})
	acctest.UntilRefused(t, lab.Client(t, "milan"), deployment, "exceeded quota")
	patient := lab.Between("milan", `timeouts = { create = "24h" }`)
	acctest.Explains(t, lab.Written(t, patient).Refuses(patient),
		`The gateway's Deployment is refused on leaf "milan"`, `A refusal was found while waiting for … on "milan".`,
		`Liqo can't create Deployment liqo-tenant-rome/gw-rome. The API server says: deployments.apps "gw-rome" is `+
			`forbidden: exceeded quota: no-deployments, …`,
		`…Change what the API server refuses, in the gateway's template or on the leaf. Then apply again.`,
		acctest.HelpAt("gateway-deployment-refused"))
}
