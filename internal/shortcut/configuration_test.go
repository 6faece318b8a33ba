package shortcut

import (
	"context"
	"strings"
	"testing"

	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

// remappedBy is [theirs] after Liqo has decided.
func remappedBy(remote, pods, external string) *networkingv1beta1.Configuration {
	configuration := ours(theirs(remote))
	configuration.Status = networkingv1beta1.ConfigurationStatus{
		Conditions: []metav1.Condition{{Type: networkingv1beta1.ConfigurationConditionNetworkCIDRsConfigured, Status: metav1.ConditionTrue}},
		Remote: &networkingv1beta1.ClusterConfig{CIDR: networkingv1beta1.ClusterConfigCIDR{
			Pod: []networkingv1beta1.CIDR{networkingv1beta1.CIDR(pods)}, External: []networkingv1beta1.CIDR{networkingv1beta1.CIDR(external)},
		}},
	}
	return configuration
}

func TestAConfigurationIsGoneOnlyOnceItsRangesAreFree(t *testing.T) {
	configuration := ours(theirs("milan"))
	configuration.UID = "configuration"
	held := &ipamv1alpha1.Network{ObjectMeta: metav1.ObjectMeta{
		Name: "milan-pod", Namespace: configuration.Namespace,
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "networking.liqo.io/v1beta1", Kind: "Configuration", Name: "milan", UID: configuration.UID}},
	}}
	rome := clustertest.Leaf(t, "rome", configuration, held)

	// Nobody collects the Network here, so the removal gets as far as waiting for it.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	unsubscribe, err := rome.Events.Subscribe(ctx, func(client.Object) {
		if err := rome.Live.Get(ctx, client.ObjectKeyFromObject(configuration), &networkingv1beta1.Configuration{}); err != nil {
			cancel() // the Configuration itself is gone
		}
	}, &networkingv1beta1.Configuration{})
	if err != nil {
		t.Fatal(err)
	}
	defer unsubscribe()
	err = endAt(rome, "milan").removeConfigurations(ctx)
	if err == nil || !strings.Contains(err.Error(), "Network liqo-tenant-milan/milan-pod to be deleted") {
		t.Errorf("got %v", err)
	}
}

func TestARemappingShowsOnlyOnceLiqoHasDecided(t *testing.T) {
	undecided := remappedBy("milan", "10.10.0.0/16", "10.71.0.0/16")
	undecided.Status.Conditions = nil
	network := networkOf(undecided)
	if len(network.PodCIDRs) != 1 || network.RemappedPodCIDRs != nil || network.RemappedExternalCIDR != "" {
		t.Errorf("got %+v", network)
	}
}
