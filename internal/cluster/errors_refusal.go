package cluster

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// noPermission matches Kubernetes' message for a request that the user has no permission for. Quotas, policies and
// webhooks use the same status code, 403. Only the message distinguishes them (k8s.io/apiserver,
// responsewriters.ForbiddenMessage).
var noPermission = regexp.MustCompile(
	`User "(?P<user>[^"]*)" cannot (?P<verb>\S+) resource "(?P<resource>[^"]*)" in API group "(?P<group>[^"]*)" ` +
		`(?:in the namespace "(?P<namespace>[^"]*)"|at the cluster scope)`)

// noPathPermission matches the same for a path that belongs to no resource, such as that of the schemas.
var noPathPermission = regexp.MustCompile(`User "(?P<user>[^"]*)" cannot (?P<verb>\S+) path "(?P<path>[^"]*)"`)

// permission is what a user lacks.
type permission struct {
	user           string // empty if the answer does not say it
	verb, resource string
	group          string // empty for the core group
	namespace      string // empty for the whole cluster, or if the answer does not say it
	path           string // instead of a resource
}

// missingPermission returns the permission that an answer of an API server says is missing.
func missingPermission(err error) (permission, bool) {
	if !apierrors.IsForbidden(err) {
		return permission{}, false
	}
	if words := noPermission.FindStringSubmatch(trouble.Shown(err.Error())); words != nil {
		part := func(name string) string { return words[noPermission.SubexpIndex(name)] }
		return permission{
			user: part("user"), verb: part("verb"), resource: part("resource"), group: part("group"),
			namespace: part("namespace"),
		}, true
	}
	if words := noPathPermission.FindStringSubmatch(trouble.Shown(err.Error())); words != nil {
		part := func(name string) string { return words[noPathPermission.SubexpIndex(name)] }
		return permission{user: part("user"), verb: part("verb"), path: part("path")}, true
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

// Refused reports whether an answer of an API server means that what a request contains is not valid, or violates a
// rule of the cluster.
func Refused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) && !MissingPermission(err) || err != nil && isDenied(err)
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
		return &Error{Problem: trouble.Problem{
			ID:      "request-refused",
			Summary: "the API server refuses a request",
			Advice: "The cause is a quota, a policy or a webhook of this leaf, not a missing permission. " +
				"Change that rule, or ask its owner.",
		}}
	}
	user, role := "the user of the provider block", "ClusterRole"
	if missing.user != "" {
		user = fmt.Sprintf("user %q", missing.user)
	}
	if missing.namespace != "" {
		role = fmt.Sprintf("ClusterRole, or a Role of namespace %q,", missing.namespace)
	}
	what, rule := missing.rule()
	return &Error{Problem: trouble.Problem{
		ID:      "permission-missing",
		Summary: fmt.Sprintf("no permission to %s %s", missing.verb, what),
		Advice:  fmt.Sprintf("Give %s a %s with this rule, on this leaf:\n\n%s", user, role, rule),
	}}
}

// rule returns what the permission is for, and the rule of a role that grants it.
func (p permission) rule() (what, rule string) {
	if p.path != "" {
		return p.path, fmt.Sprintf("  nonResourceURLs: [%q]\n  verbs: [%q]", p.path, p.verb)
	}
	what = p.resource
	if p.group != "" {
		what += "." + p.group
	}
	return what, fmt.Sprintf("  apiGroups: [%q]\n  resources: [%q]\n  verbs: [%q]", p.group, p.resource, p.verb)
}
