package cluster

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// noPermission matches Kubernetes' message for a request that the user has no permission for. Quotas, policies and
// webhooks use the same status code, 403. Only the message distinguishes them (k8s.io/apiserver,
// responsewriters.ForbiddenMessage).
var noPermission = regexp.MustCompile(
	`User "(?P<user>[^"]*)" cannot (?P<verb>\S+) resource "(?P<resource>[^"]*)" in API group "(?P<group>[^"]*)" ` +
		`(?:in the namespace "(?P<namespace>[^"]*)"|at the cluster scope)`)

// permission is what a user lacks.
type permission struct {
	user           string // empty if the answer does not say it
	verb, resource string
	group          string // empty for the core group
	namespace      string // empty for the whole cluster, or if the answer does not say it
}

// missingPermission returns the permission that an answer of an API server says is missing.
func missingPermission(err error) (permission, bool) {
	if !apierrors.IsForbidden(err) {
		return permission{}, false
	}
	if words := noPermission.FindStringSubmatch(Shown(err.Error())); words != nil {
		part := func(name string) string { return words[noPermission.SubexpIndex(name)] }
		return permission{part("user"), part("verb"), part("resource"), part("group"), part("namespace")}, true
	}
	// Server-side apply of an object that does not exist needs another permission than a patch. Kubernetes 1.30 says
	// nothing about it but that the request is forbidden (k8s.io/apiserver, handlers.withAuthorization).
	var answer apierrors.APIStatus
	if errors.As(err, &answer) {
		status := answer.Status()
		if object := status.Details; object != nil && strings.HasSuffix(status.Message, " is forbidden: ") {
			return permission{verb: "create", resource: object.Kind, group: object.Group}, true
		}
	}
	return permission{}, false
}

// MissingPermission reports whether an answer of an API server means that the user has no permission for such requests,
// whatever they contain.
func MissingPermission(err error) bool {
	_, missing := missingPermission(err)
	return missing
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

// classifyRefusal distinguishes a missing permission, which an administrator can grant, from a rule of the cluster that
// the request violates.
func classifyRefusal(err error) *Error {
	missing, ok := missingPermission(err)
	if !ok {
		return &Error{
			Trouble: "request-refused",
			Summary: "the API server refuses a request",
			Hint: "The cause is a quota, a policy or a webhook of this leaf, not a missing permission. " +
				"Change that rule, or ask its owner.",
		}
	}
	resource, user, role := missing.resource, "the user of the provider block", "ClusterRole"
	if missing.group != "" {
		resource += "." + missing.group
	}
	if missing.user != "" {
		user = fmt.Sprintf("user %q", missing.user)
	}
	if missing.namespace != "" {
		role = fmt.Sprintf("ClusterRole, or a Role of namespace %q,", missing.namespace)
	}
	return &Error{
		Trouble: "permission-missing",
		Summary: fmt.Sprintf("no permission to %s %s", missing.verb, resource),
		Hint: fmt.Sprintf("Give %s a %s with this rule, on this leaf:\n\n"+
			"  apiGroups: [%q]\n  resources: [%q]\n  verbs: [%q]",
			user, role, missing.group, missing.resource, missing.verb),
	}
}
