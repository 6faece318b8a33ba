package cluster

import (
	"fmt"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// noPermission matches Kubernetes' message for a request that the user has no permission for.
// Quotas, policies and webhooks use the same status code, 403. Only the message distinguishes them
// (k8s.io/apiserver, responsewriters.ForbiddenMessage).
var noPermission = regexp.MustCompile(
	`User "(?P<user>[^"]*)" cannot (?P<verb>\S+) resource "(?P<resource>[^"]*)" in API group "(?P<group>[^"]*)" ` +
		`(?:in the namespace "(?P<namespace>[^"]*)"|at the cluster scope)`)

// MissingPermission reports whether an answer of an API server means that the user has no
// permission for such requests, whatever they contain.
func MissingPermission(err error) bool {
	return apierrors.IsForbidden(err) && noPermission.MatchString(err.Error())
}

// denied are parts of the messages of admission policies and of webhooks that set no status code.
var denied = []string{"denied request: ", "denied the request"}

func isDenied(err error) bool {
	for _, words := range denied {
		if strings.Contains(err.Error(), words) {
			return true
		}
	}
	return false
}

// classifyRefusal distinguishes a missing permission, which an administrator can grant, from a rule
// of the cluster that the request violates.
func classifyRefusal(err error) *Error {
	words := noPermission.FindStringSubmatch(Shown(err.Error()))
	if words == nil {
		return &Error{
			Summary: "the API server refuses a request",
			Hint: "The cause is a quota, a policy or a webhook of this leaf, not a missing permission. " +
				"Change that rule, or ask its owner.",
		}
	}
	part := func(name string) string { return words[noPermission.SubexpIndex(name)] }
	resource := part("resource")
	if part("group") != "" {
		resource += "." + part("group")
	}
	role := "ClusterRole"
	if part("namespace") != "" {
		role = fmt.Sprintf("ClusterRole, or a Role of namespace %q,", part("namespace"))
	}
	return &Error{
		Summary: fmt.Sprintf("no permission to %s %s", part("verb"), resource),
		Hint: fmt.Sprintf("Give user %q a %s with this rule, on this leaf:\n\n"+
			"  apiGroups: [%q]\n  resources: [%q]\n  verbs: [%q]",
			part("user"), role, part("group"), part("resource"), part("verb")),
	}
}
