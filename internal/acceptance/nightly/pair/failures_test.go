package pair

import (
	"context"
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m, acctest.WithTenantNamespaces) }

func TestAccFailureOfAPodThatPodSecurityRejectsHasItsReason(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	enforce := func(level string) {
		patch := client.RawPatch(types.MergePatchType,
			[]byte(`{"metadata": {"labels": {"pod-security.kubernetes.io/enforce": `+level+`}}}`))
		namespace := acctest.NamespaceNamed("liqo-tenant-rome")
		acctest.Must(t, lab.Client(t, "milan").Patch(context.WithoutCancel(t.Context()), namespace, patch))
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
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: quota.Namespace, GenerateName: "a-"},
		Spec: appsv1.DeploymentSpec{
			Selector: metav1.SetAsLabelSelector(map[string]string{"app": "a"}),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "a"}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "a"}}},
			},
		},
	}
	acctest.UntilRefused(t, lab.Client(t, "milan"), deployment, "exceeded quota")
	patient := lab.Between("milan", `timeouts = { create = "24h" }`)
	acctest.Explains(t, lab.Written(t, patient).Refuses(patient),
		`The gateway's Deployment is refused on leaf "milan"`, `A refusal was found while waiting for … on "milan".`,
		`Liqo can't create Deployment liqo-tenant-rome/gw-rome. The API server says: deployments.apps "gw-rome" is `+
			`forbidden: exceeded quota: no-deployments, …`,
		`…Change what the API server refuses, in the gateway's template or on the leaf. Then apply again.`,
		acctest.HelpAt("gateway-deployment-refused"))
}

func TestAccABrokenTunnelIsExplainedAndPlansNothing(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.Applied(t, lab.Between("milan", acctest.OverNodePort))
	acctest.DoesNotSay(t, p.Run("plan"), "Warning:")

	lab.Set(t, "milan", "connect=false")
	acctest.Await(t, lab, "rome", &networkingv1beta1.ConnectionList{}, "gw-milan", acctest.Failed)
	acctest.Await(t, lab, "milan", &networkingv1beta1.ConnectionList{}, "gw-rome", acctest.Failed)
	output := p.Run("plan", "-detailed-exitcode") // fails if there is anything to change
	acctest.Says(t, output, `Warning: The tunnel from "rome" to "milan" `+
		`is down`, `The gateway of "rome" dials `+lab.NodeAddress(t, "milan")+`, UDP port 3`,
		`On leaf "rome", Connection liqo-tenant-milan/gw-milan says "Error", since 20`,
		`On leaf "milan", Connection liqo-tenant-rome/gw-rome says "Error", since 20`,
		`Check that the nodes of "rome" can reach `)
	p.Run("apply", "-refresh-only", "-auto-approve")
	p.Is(acctest.RomeMilan, map[string]any{"status": "Error"})

	lab.Set(t, "milan", "pull-image=false")
	if err := lab.Client(t, "milan").DeleteAllOf(
		t.Context(), &corev1.Pod{}, client.InNamespace("liqo-tenant-rome"),
	); err != nil {
		t.Fatal(err)
	}
	acctest.AwaitAny(t, lab, "milan", &corev1.PodList{}, func(pod *corev1.Pod) bool {
		return slices.ContainsFunc(pod.Status.ContainerStatuses, func(container corev1.ContainerStatus) bool {
			return container.State.Waiting != nil && container.State.Waiting.Reason == "ImagePullBackOff"
		})
	}, client.InNamespace("liqo-tenant-rome"))
	acctest.Says(t, p.Run("plan", "-detailed-exitcode"),
		`This is why: the gateway's image can't be pulled on leaf "milan". The kubelet can't pull image ghcr.io/liqotech/`)
}
