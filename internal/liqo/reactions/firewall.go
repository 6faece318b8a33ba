package reactions

import (
	"slices"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Enforce reports that a gateway has applied its rules. As Liqo 1.2.0, it does not report a second time.
func Enforce(rules *networkingv1beta1.FirewallConfiguration) {
	reported := func(condition networkingv1beta1.FirewallConfigurationStatusCondition) bool {
		return condition.Host == rules.Name
	}
	if slices.ContainsFunc(rules.Status.Conditions, reported) {
		return
	}
	rules.Status.Conditions = append(rules.Status.Conditions, networkingv1beta1.FirewallConfigurationStatusCondition{
		Host: rules.Name, Type: networkingv1beta1.FirewallConfigurationStatusConditionTypeApplied,
		Status: metav1.ConditionTrue, LastTransitionTime: metav1.Now(),
	})
}
