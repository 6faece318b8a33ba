package cluster

import (
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	networkingutils "github.com/liqotech/liqo/pkg/liqo-controller-manager/networking/utils"
)

// decidedLabel is on a Configuration that Liqo before 1.2 has remapped.
const decidedLabel = "configuration.liqo.io/configured"

// IsDecided reports whether Liqo says that the remapping in a Configuration is complete. Liqo before 1.2 has no
// conditions, and sets a label once. Liqo 1.2 leaves that label where it is.
func IsDecided(configuration *networkingv1beta1.Configuration) bool {
	if len(configuration.Status.Conditions) > 0 {
		return networkingutils.AreConfigurationNetworkCIDRsConfigured(configuration)
	}
	return configuration.Labels[decidedLabel] == "true"
}
