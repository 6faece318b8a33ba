package kube

import (
	"os"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/yaml"
)

// operatorName is the user name of Terraform, liqoctl and people at the API server. The cluster's
// own programs use another one. So requests from outside can be distinguished from those of the
// cluster itself.
const operatorName = "operator"

// AuditLog is the file in which the API server records each request of the operator before it
// answers, a line of JSON each.
func (c *Cluster) AuditLog() string { return c.log("audit") }

// writeAuditPolicy makes the API server record who requested what, and only for the operator.
func (c *Cluster) writeAuditPolicy() (string, error) {
	policy, err := yaml.Marshal(auditv1.Policy{
		TypeMeta: metav1.TypeMeta{APIVersion: auditv1.SchemeGroupVersion.String(), Kind: "Policy"},
		Rules:    []auditv1.PolicyRule{{Level: auditv1.LevelMetadata, Users: []string{operatorName}}},
		// A watch is answered when it ends. One line for each request, at its start, counts it at
		// once.
		OmitStages: []auditv1.Stage{auditv1.StageResponseStarted, auditv1.StageResponseComplete, auditv1.StagePanic},
	})
	if err != nil {
		return "", err
	}
	file := filepath.Join(c.Data, "audit-policy.yaml")
	return file, os.WriteFile(file, policy, 0o600)
}
