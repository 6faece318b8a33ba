package topology

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccTheCredentialsOfAnotherEnvironmentForgetNothing(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Topology)
	lab.Have(t, "rome", &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	})
	p := lab.NewProject(t, "testdata/every_resource")
	acctest.DestroyAtLast(p)
	behind := func(rome, milan string) {
		p.Configure(lab.Listing(fmt.Sprintf("rome = { %s }, milan = { %s }", acctest.Entry(rome), acctest.Entry(milan))))
	}
	resources := func() string { // as Terraform stores them
		var state struct {
			Resources json.RawMessage `json:"resources"`
		}
		acctest.Must(t, json.Unmarshal([]byte(p.Run("state", "pull")), &state))
		return string(state.Resources)
	}
	idOf := func(ctx context.Context, name string) *corev1.ConfigMap { // the object in which Liqo keeps it
		var maps corev1.ConfigMapList
		err := lab.Client(t, name).List(ctx, &maps, client.InNamespace("liqo"),
			client.MatchingLabelsSelector{Selector: consts.ClusterIDConfigMapSelector()})
		if err != nil || len(maps.Items) != 1 {
			t.Fatalf("%d ConfigMaps have the ID of %s (%v)", len(maps.Items), name, err)
		}
		return &maps.Items[0]
	}
	call := func(name, id string) {
		ctx := context.WithoutCancel(t.Context()) // it also works in a cleanup
		before := idOf(ctx, name)
		known := before.DeepCopy()
		known.Data[consts.ClusterIDConfigMapKey] = id
		acctest.Must(t, lab.Client(t, name).Patch(ctx, known, client.MergeFrom(before)))
	}
	behind("rome", "milan")
	p.Apply()
	state, networks := resources(), lab.Networks(t)

	for name, ids := range map[string][2]string{
		"with other cluster IDs": {"europe", "naples"}, "with the same cluster IDs": {"rome", "milan"},
	} {
		t.Run(name, func(t *testing.T) {
			call("europe", ids[0])
			call("naples", ids[1])
			t.Cleanup(func() {
				call("europe", "europe")
				call("naples", "naples")
			})
			behind("europe", "naples")
			acctest.Says(t, p.Refused("plan", "-destroy"), "Error: Another cluster", "Warning: Another cluster",
				fmt.Sprintf(
					`The name "rome" refers to cluster %q (UID %s) now, but the resource is for cluster "rome" (UID %s)`,
					ids[0], idOf(t.Context(), "europe").UID, idOf(t.Context(), "rome").UID),
				"Its state stays unchanged.")
			acctest.Says(t, p.Refused("apply", "-auto-approve"), "Error: Another cluster", "Nothing is changed.",
				"If these are the credentials of another environment, use the right ones.")
			refused := p.Refused("destroy", "-auto-approve")
			acctest.Says(t, refused, "Error: Another cluster", "`terraform state rm`")
			acctest.DoesNotSay(t, refused, "Destruction complete")
			if now := resources(); now != state {
				t.Errorf("the state has changed from:\n%s\nto:\n%s", state, now)
			}
			behind("rome", "milan")
			p.Unchanged()
		})
	}
	if now := lab.Networks(t); !slices.Equal(acctest.WithoutLabels(now), acctest.WithoutLabels(networks)) {
		t.Errorf("the networks have changed from:\n%s\nto:\n%s", networks, now)
	}
}
