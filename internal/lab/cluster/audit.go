package cluster

import (
	"os"
	"path/filepath"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/yaml"
)

// operatorName is the user whom Terraform, liqoctl and people are to the API server. The cluster's own programs are another one, so that
// what is done from outside can be told from what the cluster does itself.
const operatorName = "operator"

// AuditLog is the file in which the API server notes each request of the operator, a line of JSON each, before it answers.
func (c *Cluster) AuditLog() string { return c.log("audit") }

// writeAuditPolicy has the API server note who asked for what, and nobody's requests but the operator's.
func (c *Cluster) writeAuditPolicy() (string, error) {
	policy, err := yaml.Marshal(auditv1.Policy{
		TypeMeta: metav1.TypeMeta{APIVersion: auditv1.SchemeGroupVersion.String(), Kind: "Policy"},
		Rules:    []auditv1.PolicyRule{{Level: auditv1.LevelMetadata, Users: []string{operatorName}}},
		// A watch is answered when it ends. One line for each request, at its start, counts it at once.
		OmitStages: []auditv1.Stage{auditv1.StageResponseStarted, auditv1.StageResponseComplete, auditv1.StagePanic},
	})
	if err != nil {
		return "", err
	}
	file := filepath.Join(c.Data, "audit-policy.yaml")
	return file, os.WriteFile(file, policy, 0o600)
}
