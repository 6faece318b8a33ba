package acceptance

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// right is one verb for one resource in a rule of a Role or ClusterRole.
type right struct {
	verb, resource string // the resource with its API group, as in errors
	namespace      string // of the Role; empty for a ClusterRole
}

// String returns the right as in the tables of these tests, for example "list configmaps in liqo".
func (r right) String() string {
	if r.namespace == "" {
		return r.verb + " " + r.resource
	}
	return fmt.Sprintf("%s %s in %s", r.verb, r.resource, r.namespace)
}

// account is the name of a ServiceAccount without this right.
func (r right) account() string { return strings.ReplaceAll("without "+r.String(), " ", "-") }

// rightsIn returns every right that these roles give.
func rightsIn(roles []client.Object) []right {
	var all []right
	for _, role := range roles {
		for _, rule := range *rulesOf(role) {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					all = append(all, right{verb, withGroup(rule, resource), role.GetNamespace()})
				}
			}
		}
	}
	return all
}

// without returns copies of the roles without one right.
func without(roles []client.Object, taken right) []client.Object {
	var left []client.Object
	for _, role := range roles {
		role := role.DeepCopyObject().(client.Object) //nolint:errcheck,forcetypeassert // a copy has its original's type
		var rules []rbacv1.PolicyRule
		for _, rule := range *rulesOf(role) {
			for _, resource := range rule.Resources {
				one := rule.DeepCopy()
				one.Resources = []string{resource}
				if role.GetNamespace() == taken.namespace && withGroup(rule, resource) == taken.resource {
					one.Verbs = slices.DeleteFunc(one.Verbs, func(verb string) bool { return verb == taken.verb })
				}
				rules = append(rules, *one)
			}
		}
		*rulesOf(role) = slices.DeleteFunc(rules, func(rule rbacv1.PolicyRule) bool { return len(rule.Verbs) == 0 })
		left = append(left, role)
	}
	return left
}

// rulesOf returns the rules of a Role or ClusterRole.
func rulesOf(role client.Object) *[]rbacv1.PolicyRule {
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

func TestAccNothingInTheExamplesOfRolesIsSuperfluous(t *testing.T) {
	onClusters(t)
	for name, role := range exampleRoles {
		t.Run(name, func(t *testing.T) { borrowLab(t).everyRightIsNeeded(t, role) })
	}
}

// exampleRole is what a role of the examples is for.
type exampleRole struct {
	files []string
	uses  []use
}

var exampleRoles = map[string]exampleRole{
	"manage": {[]string{"shortcuts", "key-rotation"}, toManage},
	"plan":   {[]string{"plans"}, toPlan},
}

// everyRightIsNeeded takes each right away from a role, and does what needs it. A short test takes some away.
func (l *Lab) everyRightIsNeeded(t *testing.T, role exampleRole) {
	t.Helper()
	roles := rolesIn(t, role.files...)
	seed := numberFrom(t, tortureSeed, time.Now().UnixNano())
	t.Logf("%s=%d", tortureSeed, seed)
	cases := someOf(casesOf(t, rightsIn(roles), role.uses), someCases, newDice(seed))
	s := newStage(t, l)
	for _, c := range cases {
		s.admit(t, c.taken, without(roles, c.taken))
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%s without the right to %s", c.use.name, c.taken), func(t *testing.T) {
			s.lacks(t, c.use, c.taken)
		})
	}
}

// rightCase is one right that is taken away from a role, and what needs it.
type rightCase struct {
	taken right
	use   use
}

// casesOf returns a case for each right, in the order of the uses. It fails the test if nothing needs one of the
// rights, or if something needs another one.
func casesOf(t *testing.T, all []right, uses []use) []rightCase {
	t.Helper()
	var cases []rightCase
	left := map[string]right{}
	for _, one := range all {
		left[one.String()] = one
	}
	for _, use := range uses {
		for _, text := range use.rights {
			taken, given := left[text]
			if !given {
				t.Errorf("%s needs the right to %s, which the role does not give or something else needs, too", use.name, text)
				continue
			}
			cases = append(cases, rightCase{taken, use})
			delete(left, text)
		}
	}
	for text := range left {
		t.Errorf("nothing needs the right to %s", text)
	}
	return cases
}

// someCases is the number of cases of a role in a short test.
const someCases = 8
