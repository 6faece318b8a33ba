package shortcut

import (
	"context"
	"errors"
	"fmt"

	gatewayforge "github.com/liqotech/liqo/pkg/gateway/forge"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// madeName is the namespace and name of the Deployment and of the Service that Liqo makes for a gateway.
func madeName(gateway client.Object) client.ObjectKey {
	return client.ObjectKey{Namespace: gateway.GetNamespace(), Name: gatewayforge.GatewayResourceName(gateway.GetName())}
}

// deploymentFindings tell why a gateway does not run, from its Deployment and its pods.
func (s *side) deploymentFindings(ctx context.Context, gateway client.Object) ([]finding, error) {
	var deployment appsv1.Deployment
	switch err := s.leaf.Live.Get(ctx, madeName(gateway), &deployment); {
	case apierrors.IsNotFound(err):
		return s.controllersFindings(ctx, gateway)
	case err != nil:
		return nil, s.leaf.Explain(err)
	}
	for _, condition := range deployment.Status.Conditions {
		if condition.Type == appsv1.DeploymentReplicaFailure && condition.Status == corev1.ConditionTrue {
			return []finding{{
				rank: rankPod, summary: "the gateway's pod is refused",
				evidence: []string{fmt.Sprintf("%s can't make its pod: %s", s.leaf.Describe(&deployment), condition.Message)},
				advice: "A gateway's pod is privileged and forwards packets. Let the leaf's policies, quotas and Pod Security labels allow it in namespace " +
					deployment.Namespace + ".",
			}}, nil
		}
	}
	pods, err := s.gatewayPods(ctx, gateway)
	if err != nil {
		return nil, err
	}
	if len(pods) == 0 {
		return s.noPodFindings(ctx, &deployment)
	}
	var (
		findings []finding
		errs     []error
	)
	for i := range pods {
		if !leaving(&pods[i]) {
			more, err := s.podFindings(ctx, &pods[i])
			findings, errs = append(findings, more...), append(errs, err)
		}
	}
	return findings, errors.Join(errs...)
}

// noPodFindings are of a Deployment that nobody makes a pod for.
func (s *side) noPodFindings(ctx context.Context, deployment *appsv1.Deployment) ([]finding, error) {
	events, err := s.warnings(ctx, deployment.UID, deployment.Namespace)
	return []finding{{
		rank: rankPod, summary: "the gateway has no pod",
		evidence: append([]string{s.leaf.Describe(deployment) + " has no pod, and does not say why."}, events...),
		advice:   fmt.Sprintf("Check that kube-controller-manager of leaf %q works.", s.leaf.Name),
	}}, err
}
