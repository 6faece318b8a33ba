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
	const ofLiqo10, mirrored = "ghcr.io/liqotech/gateway:v1.0.1", "mirror.example:5000/liqo/gateway@sha256:0a"
	const unknown = "registry.example/tunnel:1"
	for name, test := range map[string]struct {
		images []string
		want   string
	}{
		"Liqo 1.0":              {[]string{ofLiqo10, "ghcr.io/liqotech/gateway/wireguard:v1.0.1"}, ofLiqo10},
		"another order":         {[]string{"ghcr.io/liqotech/gateway/geneve:v1.2.0", mirrored}, mirrored},
		"nothing that is known": {[]string{unknown, "registry.example/sidecar:1"}, unknown},
	} {
		t.Run(name, func(t *testing.T) {
			deployment := clustertest.GatewayDeployment("milan")
			template := &deployment.Spec.Template.Spec
			for _, image := range test.images {
				one := corev1.Container{Image: image, ImagePullPolicy: corev1.PullIfNotPresent}
				template.Containers = append(template.Containers, one)
			}
			template.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "registry"}}
			got, err := newScene(t, deployment).client.imageOf(t.Context())
			if err != nil || got.name != test.want || got.policy != corev1.PullIfNotPresent || len(got.secrets) != 1 {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
