package connectivity

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
)

func TestPodsMeetTheStrictestPodSecurityStandard(t *testing.T) {
	checks, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	must(t, err)
	s := newScene(t)
	pod := s.client.newPod("prober", probeScript, 0)
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	for _, result := range checks.EvaluatePod(restricted, &pod.ObjectMeta, &pod.Spec) {
		if !result.Allowed {
			t.Errorf("%s: %s", result.ForbiddenReason, result.ForbiddenDetail)
		}
	}
}

func TestPodsRunTheImageOfTheLeafsOwnGateway(t *testing.T) {
	for name, images := range map[string][]string{
		"Liqo 1.0":              {"ghcr.io/liqotech/gateway:v1.0.1", "ghcr.io/liqotech/gateway/wireguard:v1.0.1"},
		"another order":         {"ghcr.io/liqotech/gateway/geneve:v1.2.0", "mirror.example:5000/liqo/gateway@sha256:0a"},
		"nothing that is known": {"registry.example/tunnel:1", "registry.example/sidecar:1"},
	} {
		t.Run(name, func(t *testing.T) {
			deployment := clustertest.GatewayDeployment("milan")
			template := &deployment.Spec.Template.Spec
			for _, image := range images {
				template.Containers = append(template.Containers, corev1.Container{
					Image: image, ImagePullPolicy: corev1.PullIfNotPresent,
				})
			}
			template.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "registry"}}
			want := map[string]string{
				"Liqo 1.0":              "ghcr.io/liqotech/gateway:v1.0.1",
				"another order":         "mirror.example:5000/liqo/gateway@sha256:0a",
				"nothing that is known": "registry.example/tunnel:1",
			}[name]
			s := newScene(t, deployment)
			got, err := s.client.imageOf(t.Context())
			if err != nil || got.name != want || got.policy != corev1.PullIfNotPresent || len(got.secrets) != 1 {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
