package acceptance

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// between returns a provider block and a shortcut from Rome to a server, with these settings.
func (l *Lab) between(server, settings string) string { return l.contexts(fromRome(server, settings)) }

// fromRome returns a shortcut from Rome to a server, with these settings.
func fromRome(server, settings string) string { return fromTo("rome", server, settings) }

// fromTo returns a shortcut between any two leaves, at the same address.
func fromTo(client, server, settings string) string {
	return fmt.Sprintf(`
		resource "liqo_shortcut" "rome_milan" {
		  client = %q
		  server = %q
		  %s
		}`, client, server, settings)
}

const overNodePort = `server_gateway = { service_type = "NodePort" }`

func TestAccForbiddenRemappingFailsThePlanAndNamesBothCIDRs(t *testing.T) {
	lab := borrowTopology(t)
	apply(t, resource.TestStep{
		Config: lab.between("naples", overNodePort+"\n"+`cidr_remapping = "forbid"`),
		ExpectError: regexp.MustCompile(
			`(?s)Remapping is forbidden, and needed.*10\.202\.0\.0/16 of "(rome|naples)"\s+overlaps\s+with\s+10\.202\.0\.0/16`,
		),
	})
}

func TestAccAnUnpredictedForbiddenRemappingLeavesNothingBehind(t *testing.T) {
	lab := borrowTopology(t)
	apply(t, resource.TestStep{ // Liqo's IPAM has only private addresses
		Config: lab.between("europe", overNodePort+"\n"+`cidr_remapping = "forbid"`),
		ExpectError: regexp.MustCompile(
			`(?s)Remapping is forbidden, and needed on leaf "rome".*100\.64\.0\.0/16\s+of\s+"europe"`,
		),
	})
}

func TestAccForbiddenRemappingIsAcceptedIfNothingOverlaps(t *testing.T) {
	lab := borrowLab(t)
	apply(t, resource.TestStep{
		Config:            lab.between("milan", overNodePort+"\n"+`cidr_remapping = "forbid"`),
		ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
	})
}

func TestAccAnApplyDoesNotWaitForKeysThatOthersProvide(t *testing.T) {
	lab := borrowLab(t)
	const keyless = overNodePort + "\nshare_keys = false"
	apply(t,
		resource.TestStep{Config: lab.between("milan", keyless), ConfigStateChecks: []statecheck.StateCheck{
			expect("status", knownvalue.StringExact("Connecting")),
			stateCheck(func(ctx context.Context, _ statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
				for _, cluster := range []string{"rome", "milan"} {
					var keys networkingv1beta1.PublicKeyList
					if err := lab.client(t, cluster).List(ctx, &keys); err != nil || len(keys.Items) > 0 {
						resp.Error = errors.Join(resp.Error, err, fmt.Errorf("%s has %d PublicKeys", cluster, len(keys.Items)))
					}
				}
			}),
		}},
		resource.TestStep{ // now the provider shares them
			Config: lab.between("milan", overNodePort), ConfigPlanChecks: inPlace(),
			ConfigStateChecks: []statecheck.StateCheck{expect("status", connected)},
		},
	)
}

func TestAccAMissingNamespaceIsNotCreated(t *testing.T) {
	lab := borrowLab(t)
	apply(t, resource.TestStep{
		Config:      lab.between("milan", overNodePort+"\n"+`client_namespace = "nowhere"`),
		ExpectError: regexp.MustCompile(`Namespace nowhere does not exist on leaf "rome"`),
	})
}

func TestAccAMissingTemplateFailsThePlan(t *testing.T) {
	lab := borrowLab(t)
	for expected, settings := range map[string]string{
		`(?s)The template does not exist on leaf ` +
			`"milan".*WgGatewayServerTemplate\s+liqo/nothing`: `server_gateway = { template = { name = "nothing" } }`,
		`(?s)There are no templates of type example.com/v1/nothings ` +
			`on\s+leaf\s+"rome"`: `client_gateway = { template = { resource = "example.com/v1/nothings" } }`,
	} {
		apply(
			t,
			resource.TestStep{Config: lab.between("milan", settings), PlanOnly: true, ExpectError: regexp.MustCompile(expected)},
		)
	}
}

func TestAccAnUpdateWithNothingToChangeOnTheLeavesWritesNothingThere(t *testing.T) {
	lab := borrowLab(t)
	writes := writesSince{lab: lab}
	steps := []resource.TestStep{{Config: lab.between("milan", overNodePort)}}
	settings := overNodePort
	for _, more := range []string{
		"client_gateway = {}", `timeouts = { create = "3m" }`, "wait_for_connection = false", `on_destroy = "disconnect"`,
	} {
		settings += "\n" + more
		steps = append(steps, resource.TestStep{
			PreConfig: func() { t.Log(more) },
			Config:    lab.between("milan", settings),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(romeMilan, plancheck.ResourceActionUpdate),
				lab.requestsAre(func(counts map[string]int) { writes.before = counts }),
			}},
			ConfigStateChecks: []statecheck.StateCheck{writes.none(), expect("status", connected)},
		})
	}
	apply(t, append(steps, resource.TestStep{Config: lab.between("milan", overNodePort)})...)
}

func TestAccAPairCanHaveOnlyOneShortcut(t *testing.T) {
	lab := borrowLab(t)
	apply(t, resource.TestStep{
		Config: lab.contexts(`
			resource "liqo_shortcut" "one" {
			  client = "rome"
			  server = "milan"
			}
			resource "liqo_shortcut" "two" {
			  client = "milan"
			  server = "rome"
			}`),
		PlanOnly:    true,
		ExpectError: regexp.MustCompile(`(?s)The same pair twice.*clusters\s+"milan"\s+and\s+"rome"`),
	})
}

func TestAccConfigurationsCanOutliveTheShortcut(t *testing.T) {
	lab := borrowLab(t)
	const disconnecting = overNodePort + "\n" + `on_destroy = "disconnect"`
	apply(t,
		resource.TestStep{Config: lab.between("milan", disconnecting)},
		resource.TestStep{Config: lab.contexts(""), Check: func(*terraform.State) error {
			if got := lab.configuredAt(t.Context(), t, "rome", "milan"); got.pod != "10.203.0.0/16" {
				return fmt.Errorf("Rome's Configuration says %v", got)
			}
			return nil
		}},
		resource.TestStep{
			Config: lab.between("milan", overNodePort),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(romeMilan, plancheck.ResourceActionCreate),
			}},
		},
	)
}

// copyTemplate creates a copy of one of Liqo's templates on a cluster, without some fields, for the duration of the
// test.
func (l *Lab) copyTemplate(t *testing.T, cluster, kind, from, to string, without ...string) {
	t.Helper()
	c := l.client(t, cluster)
	template := &unstructured.Unstructured{}
	template.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(kind))
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "liqo", Name: from}, template); err != nil {
		t.Fatal(err)
	}
	for _, field := range without {
		removeField(template.Object["spec"], field)
	}
	duplicate := &unstructured.Unstructured{Object: map[string]any{"spec": template.Object["spec"]}}
	duplicate.SetGroupVersionKind(template.GroupVersionKind())
	duplicate.SetNamespace("liqo")
	duplicate.SetName(to)
	if err := c.Create(t.Context(), duplicate); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Delete(context.WithoutCancel(t.Context()), duplicate) })
}

// removeField removes every field with this name.
func removeField(value any, field string) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			removeField(element, field)
		}
	case map[string]any:
		delete(value, field)
		for _, element := range value {
			removeField(element, field)
		}
	}
}

// ipam returns the Deployment of Liqo's IPAM with these pools, as in Liqo's chart. It has no pods, because the lab runs
// the program itself.
func ipam(pools string) *appsv1.Deployment {
	labels := map[string]string{
		"app.kubernetes.io/name": "ipam", "app.kubernetes.io/component": "ipam", "app.kubernetes.io/instance": "liqo-ipam",
	}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "liqo", Name: "liqo-ipam", Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(0)),
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
				Containers: []corev1.Container{{
					Name: "ipam", Image: "ghcr.io/liqotech/ipam",
					Args: []string{"--pod-name=$(POD_NAME)", "--port=6000", "--pools=" + pools},
				}},
			}},
		},
	}
}
