package acctest

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Right is one verb for one resource in a rule of a Role or ClusterRole.
type Right struct {
	Verb, Resource string // the resource with its API group, as in errors
	namespace      string // of the Role; empty for a ClusterRole
}

// String returns the right as in the tables of these tests, for example "list configmaps in liqo".
func (r Right) String() string {
	if r.namespace == "" {
		return r.Verb + " " + r.Resource
	}
	return fmt.Sprintf("%s %s in %s", r.Verb, r.Resource, r.namespace)
}

// Account is the name of a ServiceAccount without this right.
func (r Right) Account() string {
	return strings.NewReplacer(" ", "-", "/", "-").Replace("without " + r.String())
}

// RightsIn returns every right that these roles give.
func RightsIn(roles []client.Object) []Right {
	var all []Right
	for _, role := range roles {
		for _, rule := range *RulesOf(role) {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					all = append(all, Right{verb, withGroup(rule, resource), role.GetNamespace()})
				}
			}
		}
	}
	return all
}

// Without returns copies of the roles without one right.
func Without(roles []client.Object, taken Right) []client.Object {
	var left []client.Object
	for _, role := range roles {
		role := role.DeepCopyObject().(client.Object) //nolint:errcheck,forcetypeassert // a copy has its original's type
		var rules []rbacv1.PolicyRule
		for _, rule := range *RulesOf(role) {
			for _, resource := range rule.Resources {
				one := rule.DeepCopy()
				one.Resources = []string{resource}
				if role.GetNamespace() == taken.namespace && withGroup(rule, resource) == taken.Resource {
					one.Verbs = slices.DeleteFunc(one.Verbs, func(verb string) bool { return verb == taken.Verb })
				}
				rules = append(rules, *one)
			}
		}
		*RulesOf(role) = slices.DeleteFunc(rules, func(rule rbacv1.PolicyRule) bool { return len(rule.Verbs) == 0 })
		left = append(left, role)
	}
	return left
}

// RulesOf returns the rules of a Role or ClusterRole.
func RulesOf(role client.Object) *[]rbacv1.PolicyRule {
	if namespaced, ok := role.(*rbacv1.Role); ok {
		return &namespaced.Rules
	}
	return &role.(*rbacv1.ClusterRole).Rules //nolint:errcheck,forcetypeassert // there is no other kind
}

func withGroup(rule rbacv1.PolicyRule, resource string) string {
	if rule.APIGroups[0] == "" {
		return resource
	}
	return resource + "." + rule.APIGroups[0]
}
