package end

import (
	"testing"
	"testing/synctest"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestARemovalSparesAnObjectThatHasTakenThePlaceOfTheOneItHasRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		configuration := clustertest.Configuration("rome")
		configuration.UID = "read"
		me.Mark(configuration)
		milan := milansEnd(t, configuration)
		milan.Owner = me
		replaced := false
		clustertest.On(milan.Leaf, "delete", func(call clustertest.Call[*networkingv1beta1.Configuration]) error {
			if !replaced {
				replaced = true
				other := clustertest.Configuration("rome")
				other.UID = "another"
				must(t, call.Client.Delete(call.Context, configuration.DeepCopy()))
				must(t, call.Client.Create(call.Context, other))
			}
			return call.Send()
		})
		if err := milan.RemoveConfigurations(t.Context()); err == nil {
			t.Error("it succeeded")
		}
		var left networkingv1beta1.Configuration
		must(t, milan.Leaf.Clients().Live.Get(t.Context(), client.ObjectKeyFromObject(configuration), &left))
		if left.UID != "another" {
			t.Errorf("left is %s", left.UID)
		}
	})
}
