package end

import (
	"slices"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo/reactions"
)

func TestOnlyTheNewPodConfirmsTheRulesOfAGatewayThatHasRestarted(t *testing.T) {
	for name, test := range map[string]struct {
		former  []types.UID
		pods    [][]types.UID // the active ones, at each look
		reports int           // that are removed, and come again
	}{
		"the new pod is active":               {[]types.UID{"old"}, [][]types.UID{{"new"}}, 1},
		"the old pod reports once more":       {[]types.UID{"old"}, [][]types.UID{{"old"}, {"new"}}, 2},
		"no pod is active at first":           {[]types.UID{"old"}, [][]types.UID{nil, {"old"}, {"new"}}, 3},
		"it does not restart":                 {nil, nil, 0},
		"one of several others takes over":    {[]types.UID{"old", "standby"}, [][]types.UID{{"standby"}, {"new"}}, 2},
		"nobody may list its pods beforehand": {nil, [][]types.UID{{"old"}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := limitedEnd(t)
			deployment := clustertest.GatewayDeployment("rome")
			deployment.Status = appsv1.DeploymentStatus{Replicas: 1, UpdatedReplicas: 1, AvailableReplicas: 1}
			must(t, e.Leaf.Clients().Live.Create(t.Context(), deployment))
			must(t, e.EnsureLimits(t.Context(), "liqo-tenant-rome", &onlyTheDatabase))
			objects := found(t, e)
			must(t, e.Leaf.EditStatus(t.Context(), objects.Firewall, report))
			looks, reports := 0, 0
			clustertest.On(e.Leaf, "list", func(call clustertest.Call[*corev1.PodList]) error {
				for _, uid := range test.pods[looks] {
					active := activePod("10.0.0.7")
					active.UID = uid
					call.Object.Items = append(call.Object.Items, *active)
				}
				looks++
				return nil
			})
			clustertest.On(e.Leaf, "subresource", func(call clustertest.Call[client.Object]) error {
				if err := call.Send(); err != nil {
					return err
				}
				reports++
				report(call.Object)
				return call.Client.Status().Update(call.Context, call.Object)
			})
			restarted := EnsuredGateway{Object: objects.Gateway.Object, Restarts: true, parts: &parts{}, former: test.former}
			must(t, e.WaitForLimits(t.Context(), restarted))
			if reports != test.reports || test.former != nil && looks != len(test.pods) {
				t.Errorf("after %d looks at the pods and %d reports", looks, reports)
			}
		})
	}
}

// report lets a gateway report that it has applied its rules.
func report(object client.Object) {
	reactions.Enforce(object.(*networkingv1beta1.FirewallConfiguration)) //nolint:errcheck,forcetypeassert // it is one
}

func TestAGatewayWithRulesLosesTheOthersKeyBeforeBothRestart(t *testing.T) {
	for name, test := range map[string]struct {
		mine, rolls bool
		stays       bool
	}{
		"both restart":                      {mine: true, stays: false},
		"the other one stays up":            {mine: true, rolls: true, stays: true},
		"another resource provides the key": {stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			key, running := clustertest.PublicKey("rome"), activePod("10.0.0.7")
			if running.UID = "old"; test.mine {
				me.Mark(key)
			}
			e := milansEnd(t, exposedGateway(), key, running)
			e.Owner = me
			former, err := e.beginLimitedRestart(t.Context(), found(t, e), test.rolls)
			must(t, err)
			if !slices.Equal(former, []types.UID{"old"}) {
				t.Errorf("the pods were %v", former)
			}
			var keys networkingv1beta1.PublicKeyList
			must(t, e.Leaf.Clients().Live.List(t.Context(), &keys))
			if stays := len(keys.Items) > 0; stays != test.stays {
				t.Errorf("the key stays: %t", stays)
			}
		})
	}
}
