package pair

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

// ofMilan reads the Deployment of Milan's gateway.
func ofMilan(ctx context.Context, t *testing.T, l *acctest.Lab) (*appsv1.Deployment, error) {
	t.Helper()
	deployment := &appsv1.Deployment{}
	return deployment, l.Client(t, "milan").Get(
		ctx, client.ObjectKey{Namespace: "liqo-tenant-rome", Name: "gw-rome"}, deployment)
}

// annotated checks the annotations of the pods of Milan's gateway. An empty value stands for a missing one.
func annotated(t *testing.T, l *acctest.Lab, expected map[string]string) acctest.Check {
	t.Helper()
	return func(ctx context.Context) error {
		deployment, err := ofMilan(ctx, t, l)
		for key, value := range expected {
			if got := deployment.Spec.Template.Annotations[key]; err == nil && got != value {
				err = fmt.Errorf("the pods have %s: %q, expected %q", key, got, value)
			}
		}
		return err
	}
}

func TestAccTheSettingsOfAGatewaysPodsChangeInPlace(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	const one, other = "example.com/one", "example.com/other"
	podOf := func(ctx context.Context, leaf, other string) (pod corev1.Pod, err error) {
		var pods corev1.PodList
		err = lab.Client(t, leaf).List(ctx, &pods, client.InNamespace("liqo-tenant-"+other),
			client.MatchingLabels{"networking.liqo.io/gateway-name": other})
		if err == nil && len(pods.Items) != 1 {
			err = fmt.Errorf("%s has %d pods for %s", leaf, len(pods.Items), other)
		}
		if err == nil {
			pod = pods.Items[0]
		}
		return pod, err
	}
	// derived checks how many derived templates the two leaves have.
	derived := func(expected int) acctest.Check {
		return func(ctx context.Context) (err error) {
			got := 0
			for leaf, kind := range map[string]string{
				"milan": networkingv1beta1.WgGatewayServerTemplateKind, "rome": networkingv1beta1.WgGatewayClientTemplateKind,
			} {
				var list metav1.PartialObjectMetadataList // a template has objects without a kind, so no type reads it
				list.SetGroupVersionKind(networkingv1beta1.GroupVersion.WithKind(kind + "List"))
				err = errors.Join(err, lab.Client(t, leaf).List(ctx, &list, client.HasLabels{consts.RemoteClusterID}))
				got += len(list.Items)
			}
			if err == nil && got != expected {
				err = fmt.Errorf("there are %d derived templates, expected %d", got, expected)
			}
			return err
		}
	}
	// Rome's gateway got its pod when Milan's was ready, to the second.
	oneAfterTheOther := acctest.Check(func(ctx context.Context) error {
		server, serverErr := podOf(ctx, "milan", "rome")
		dialling, clientErr := podOf(ctx, "rome", "milan")
		err := errors.Join(serverErr, clientErr)
		for _, condition := range server.Status.Conditions {
			if since := condition.LastTransitionTime; condition.Type == corev1.PodReady && err == nil &&
				dialling.CreationTimestamp.Before(&since) {
				err = fmt.Errorf("the client's pod is from %s, but the server's is ready since %s",
					dialling.CreationTimestamp, since)
			}
		}
		return err
	})
	updated(t, lab,
		update{"of the server", `server_gateway = {
			service_type = "NodePort"
			pods = {
			  replicas    = 1
			  annotations = { "example.com/one" = "7" }
			  tolerations = [{
				key = "node.kubernetes.io/unreachable", operator = "Exists", effect = "NoExecute", toleration_seconds = 5
			  }]
			}
		}`, nil,
			[]statecheck.StateCheck{annotated(t, lab, map[string]string{one: "7"}), derived(1)}},
		update{"of both, and others", `server_gateway = {
			service_type = "NodePort"
			pods         = { annotations = { "example.com/other" = "8" } }
		}
		client_gateway = { pods = { priority_class_name = "system-cluster-critical" } }`, nil,
			[]statecheck.StateCheck{
				annotated(t, lab, map[string]string{one: "", other: "8"}), derived(2), oneAfterTheOther,
			}},
		update{"back", acctest.OverNodePort, nil,
			[]statecheck.StateCheck{annotated(t, lab, map[string]string{one: "", other: ""}), derived(0)}},
	)
}

func TestAccADerivedTemplateFollowsItsBaseAndIsRepaired(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	lab.CopyTemplate(t, "milan", "WgGatewayServerTemplate", "wireguard-server", "my-base")
	template := func(namespace, name string) *unstructured.Unstructured {
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(
			networkingv1beta1.GroupVersion.WithKind(networkingv1beta1.WgGatewayServerTemplateKind))
		object.SetNamespace(namespace)
		object.SetName(name)
		return object
	}
	edit := func(namespace, name, value string) {
		patch := `{"spec":{"template":{"spec":{"deployment":{"spec":{"template":{"metadata":` +
			`{"annotations":{"example.com/base":"` + value + `"}}}}}}}}}`
		if err := lab.Client(t, "milan").Patch(
			t.Context(), template(namespace, name), client.RawPatch("application/merge-patch+json", []byte(patch)),
		); err != nil {
			t.Fatal(err)
		}
	}
	var before *appsv1.Deployment
	note := func() {
		deployment, err := ofMilan(t.Context(), t, lab)
		acctest.Must(t, err)
		before = deployment
	}
	nothingRestarts := acctest.Check(func(ctx context.Context) error {
		after, err := ofMilan(ctx, t, lab)
		if err == nil && after.Generation != before.Generation {
			err = fmt.Errorf("the Deployment has changed from generation %d to %d", before.Generation, after.Generation)
		}
		return err
	})
	config := lab.Between("milan", `server_gateway = {
		service_type = "NodePort"
		template     = { name = "my-base" }
		pods         = { annotations = { "example.com/one" = "7" } }
	}`)
	follows := func(value string) []statecheck.StateCheck {
		return []statecheck.StateCheck{
			acctest.IsConnected, annotated(t, lab, map[string]string{"example.com/base": value, "example.com/one": "7"}),
		}
	}
	repaired := func(spoil func(), checks ...statecheck.StateCheck) resource.TestStep {
		return resource.TestStep{
			PreConfig: spoil, Config: config, ConfigPlanChecks: acctest.InPlace(), ConfigStateChecks: checks,
		}
	}
	acctest.Apply(t,
		resource.TestStep{Config: config, ConfigStateChecks: follows("")},
		repaired(func() { edit("liqo", "my-base", "new") }, follows("new")...),
		repaired(func() { edit("liqo-tenant-rome", "rome", "edited") }, follows("new")...),
		repaired(func() {
			note()
			acctest.Must(t, lab.Client(t, "milan").Delete(t.Context(), template("liqo-tenant-rome", "rome")))
		}, append(follows("new"), nothingRestarts)...),
	)
}

// The only node of Milan has room for one pod of each revision of the gateway.
func TestAccAGatewayWithFewerNodesThanReplicasChanges(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	between := func(settings string) string {
		return lab.Between("milan", settings+"\n"+`timeouts = { update = "60s" }`)
	}
	p := lab.Written(t, between(acctest.OverNodePort))
	p.Again()
	for _, change := range []struct{ pods, more, says string }{
		{`{ replicas = 2 }`, "", "No node takes 1 of 2 pods"},
		{`{ replicas = 2, lease_duration = "4s" }`, "", "No node takes 1 of 2 pods"},
		{`{ replicas = 2, lease_duration = "4s" }`, "mtu = 1400", "No node takes 1 of 2 pods"},
		{`{ replicas = 3, lease_duration = "4s" }`, "mtu = 1400", ""}, // the third pod may not be there yet
		{`{ replicas = 3, lease_duration = "5s" }`, "mtu = 1400", "No node takes 2 of 3 pods"},
	} {
		p.Write("main.tf", between(change.more+"\n"+`
			server_gateway = { service_type = "NodePort", pods = `+change.pods+` }`))
		said := p.Again()
		if change.says != "" {
			acctest.Says(t, said, change.says+` of the gateway on leaf "milan"`,
				"The scheduler reports for Pod liqo-tenant-rome/gw-rome-", "0/1 nodes are available: 1 node(s) didn't match pod")
		}
	}
}
