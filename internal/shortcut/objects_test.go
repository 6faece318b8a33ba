package shortcut

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestOfTwoObjectsOfAKindTheOwnersIsTakenElseTheFirstByName(t *testing.T) {
	of := func(name string, owner Owner) client.Object {
		configuration := theirs("rome")
		configuration.Name = name
		if owner.Token != "" {
			owner.mark(configuration)
		}
		return configuration
	}
	for name, test := range map[string]struct {
		objects  []client.Object
		expected string
	}{
		"the owner's":       {[]client.Object{of("a", Owner{}), of("b", me)}, "b"},
		"the first by name": {[]client.Object{of("b", Owner{}), of("a", somebody)}, "a"},
	} {
		milan := milansEnd(t, test.objects...)
		milan.owner = me
		found, err := milan.find(t.Context())
		if err != nil || found.configuration.Name != test.expected || len(found.extra) != 1 {
			t.Errorf("%s: %v and %d more (%v)", name, found.configuration.Name, len(found.extra), err)
		}
	}
}

func TestEachNetworkOfALeafIsReadByItself(t *testing.T) {
	leaf := clustertest.Leaf(t, "milan", theirs("rome"), serverGateway("turin", 51840))
	networks, err := networksOf(t.Context(), leaf, Owner{})
	if err != nil || len(networks) != 2 || networks["rome"].configuration == nil || networks["turin"].server == nil || networks["rome"].gateway() != nil {
		t.Errorf("got %v (%v)", networks, err)
	}
}

func TestPeopleAreToldOfAllThatSomebodyWroteAndNotOfTheConnection(t *testing.T) {
	milan := milansEnd(t, end(asServer, "rome", up)...)
	found, err := milan.find(t.Context())
	if err != nil || len(found.all()) != 4 || len(found.made()) != 3 || len(found.others(Owner{Token: "me"})) != 3 || len(found.owned(Owner{Token: "me"})) != 0 {
		t.Errorf("%d objects, %d made (%v)", len(found.all()), len(found.made()), err)
	}
}
