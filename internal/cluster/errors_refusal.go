package cluster

import (
	"fmt"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// noPermission is how Kubernetes words a request that the user has no permission for. The same status code, 403, also stands for what
// quotas, policies and webhooks refuse; only the words tell them apart (k8s.io/apiserver, responsewriters.ForbiddenMessage).
var noPermission = regexp.MustCompile(
	`User "(?P<user>[^"]*)" cannot (?P<verb>\S+) resource "(?P<resource>[^"]*)" in API group "(?P<group>[^"]*)" ` +
		`(?:in the namespace "(?P<namespace>[^"]*)"|at the cluster scope)`)

// MissingPermission reports whether an answer of an API server means that the user may not ask for that, whatever is in the request.
func MissingPermission(err error) bool {
	return apierrors.IsForbidden(err) && noPermission.MatchString(err.Error())
}

// denied are the words of admission policies and of webhooks that give no status code of their own.
var denied = []string{"denied request: ", "denied the request"}

func isDenied(err error) bool {
	for _, words := range denied {
		if strings.Contains(err.Error(), words) {
			return true
		}
	}
	return false
}

// classifyRefusal tells a missing permission, which the user can be given, from a rule of the cluster that the request itself breaks.
func classifyRefusal(err error) *Error {
	words := noPermission.FindStringSubmatch(err.Error())
	if words == nil {
		return &Error{
			Summary: "the API server refuses a request",
			Hint:    "A quota, a policy or a webhook of this leaf forbids it, not a missing permission. Change that rule, or ask whoever made it.",
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
