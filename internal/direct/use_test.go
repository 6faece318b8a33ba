package direct

import (
	"slices"
	"testing"

	"github.com/liqotech/liqo/pkg/consts"
)

func TestALeafShowsWhichServicesUseWhichOfItsNetworks(t *testing.T) {
	direct, central := reflected("web-milan", toMilan), reflected("db-milan", toMilanBack)
	central.Name = "db-0"
	direct.Namespace, direct.Labels[originLabel], central.Labels[originLabel] = "shop-of-europe", "europe", "europe"
	mapped := namespaceMap("europe")
	mapped.Labels[consts.ReplicationStatusLabel] = "true"
	mapped.Spec.DesiredMapping = map[string]string{"shop": "shop-of-europe"}
	uses, err := Uses(t.Context(), rome(t, joined("milan"), direct, central, mapped))
	expected := []Use{{Centre: "europe", Namespace: "shop", Name: "web", Remote: "milan"}}
	if err != nil || !slices.Equal(uses, expected) {
		t.Errorf("%+v, %v", uses, err)
	}
}

func TestALeafWithoutOffloadedServicesUsesNoNetwork(t *testing.T) {
	if uses, err := Uses(t.Context(), rome(t, joined("milan"))); err != nil || len(uses) > 0 {
		t.Errorf("%+v, %v", uses, err)
	}
}
