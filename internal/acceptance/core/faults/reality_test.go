package faults

import (
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccAShortcutWithoutAnyObjectIsCreatedAgain(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.Applied(t, lab.Contexts(acctest.ShortcutRomeMilan))
	for at, of := range map[string]string{"rome": "milan", "milan": "rome"} {
		tenant := acctest.NamespaceNamed("liqo-tenant-" + of)
		acctest.Must(t, acctest.DeleteAndWait(t.Context(), lab.Client(t, at), tenant))
		acctest.Await(t, lab, at, &liqov1beta1.ForeignClusterList{}, of,
			func(record *liqov1beta1.ForeignCluster) bool {
				return !record.Status.Modules.Networking.Enabled // before that, Liqo would create its record again
			})
		record := &liqov1beta1.ForeignCluster{ObjectMeta: metav1.ObjectMeta{Name: of}}
		acctest.Must(t, lab.Client(t, at).Delete(t.Context(), record))
	}
	acctest.Says(t, p.Again(), acctest.Created)
	p.IsConnected()
}

func TestAccAShortcutWithOnlyItsNamespacesIsRepaired(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.Applied(t, lab.Contexts(acctest.ShortcutRomeMilan))
	for _, cluster := range []string{"rome", "milan"} {
		for _, object := range []client.Object{
			&networkingv1beta1.Configuration{}, &networkingv1beta1.GatewayServer{}, &networkingv1beta1.GatewayClient{},
		} {
			lab.DeleteFromTenant(t, cluster, object)
		}
	}
	acctest.Says(t, p.Again(), acctest.InPlace)
	p.IsConnected()
}

func TestAccALeafThatCannotBeReachedLosesNothing(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.Applied(t, lab.Contexts(acctest.ShortcutInDefault))
	p.IsConnected()
	lab.Command(t, "stop-apiserver", "milan")
	p.Unchanged() // the refresh warns
	acctest.Explains(t, p.Refuses(lab.Between("milan", acctest.OverNodePort+acctest.InDefault+"\nmtu = 1400")),
		`The API server can't be reached on leaf "milan"`)
	lab.Command(t, "start-apiserver", "milan")
	p.Becomes(lab.Contexts(acctest.ShortcutInDefault), acctest.Nothing)
	p.IsConnected()
}
