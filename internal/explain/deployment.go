package explain

import (
	"context"
	"errors"
	"fmt"
	"time"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// deployment explains from the Deployment and the pods of a gateway why the gateway does not run. [noDeployment]
// explains a missing Deployment.
func deployment(ctx context.Context, s Subject, view view) ([]trouble.Problem, error) {
	gateway := view.Handled()
	if gateway == nil {
		return nil, nil
	}
	var deployment appsv1.Deployment
	if exists, err := s.Leaf.Get(ctx, liqo.MadeForGateway(gateway), &deployment); !exists {
		return nil, err
	}
	for _, condition := range deployment.Status.Conditions {
		if condition.Type == appsv1.DeploymentReplicaFailure && condition.Status == corev1.ConditionTrue {
			return []trouble.Problem{{
				ID:      "gateway-pod-refused",
				Summary: "the gateway's pod is refused",
				Evidence: []string{fmt.Sprintf("%s can't create its pod: %s", s.Leaf.Describe(&deployment),
					trouble.ShownLines(condition.Message))},
				Advice: "A gateway's pod is privileged and forwards packets. The leaf's policies, quotas and Pod Security labels " +
					"must allow this in namespace " + deployment.Namespace + ".",
			}}, nil
		}
	}
	pods, err := liqo.PodsOf(ctx, s.Leaf, gateway)
	if err != nil {
		return nil, err
	}
	if len(pods) == 0 {
		return noPod(ctx, s.Leaf, &deployment)
	}
	var (
		causes []trouble.Problem
		errs   []error
	)
	for i := range pods {
		if pods[i].DeletionTimestamp.IsZero() {
			more, err := podNotReady(ctx, s.Leaf, &pods[i], podOfGateway)
			causes, errs = append(causes, more...), append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil || len(causes) > 0 || view.SilentSince.IsZero() {
		return causes, err
	}
	return []trouble.Problem{silent(s, view, pods)}, nil
}

// silent is the cause that a gateway reports nothing, though nothing is wrong with its pods that Kubernetes knows.
func silent(s Subject, view view, pods []corev1.Pod) trouble.Problem {
	evidence := make([]string, len(pods))
	for i := range pods {
		state := "ready"
		if !pods[i].DeletionTimestamp.IsZero() {
			state = "being deleted"
		}
		evidence[i] = fmt.Sprintf("Kubernetes calls %s on node %q %s.",
			s.Leaf.Describe(&pods[i]), pods[i].Spec.NodeName, state)
	}
	return trouble.Problem{
		ID:      "gateway-silent",
		Summary: "the gateway reports nothing",
		Evidence: append([]string{
			fmt.Sprintf("The gateway has reported nothing since %s.", view.SilentSince.Format(time.RFC3339)),
		}, evidence...),
		Advice: fmt.Sprintf("Check that its node runs, and that the gateway can reach the API server. Its log says "+
			"more:\n\n  kubectl -n %s logs deployment/%s --all-containers",
			pods[0].Namespace, liqo.MadeForGateway(view.Handled()).Name),
	}
}

// noPod returns the cause why a Deployment has no pod.
func noPod(ctx context.Context, leaf *cluster.Leaf, deployment *appsv1.Deployment) ([]trouble.Problem, error) {
	events, err := warnings(ctx, leaf, deployment)
	return []trouble.Problem{{
		ID:      "gateway-without-pod",
		Summary: "the gateway has no pod",
		Evidence: append([]string{leaf.Describe(deployment) + " has no pod, and its status does not say why."},
			events...),
		Advice: fmt.Sprintf("Check that kube-controller-manager of leaf %q works.", leaf.Name),
	}}, err
}

// refusedDeployment returns the cause why a gateway has no Deployment if the API server refuses it, else none. Only
// Liqo's log says so. So refusedDeployment makes the same one as a dry run. What it can't find out, for example because
// the user may not create Deployments, is no cause.
func refusedDeployment(ctx context.Context, leaf *cluster.Leaf, gateway *liqo.Gateway) []trouble.Problem {
	described, err := describedDeployment(ctx, leaf, gateway)
	if err != nil {
		return nil
	}
	deployment := liqo.DeploymentOf(gateway, described)
	if err = leaf.TryCreate(ctx, deployment); !cluster.Refused(err) {
		return nil
	}
	return []trouble.Problem{{
		ID: "gateway-deployment-refused", Summary: "the gateway's Deployment is refused",
		Evidence: []string{fmt.Sprintf("Liqo can't create %s. The API server says: %s", leaf.Describe(deployment),
			trouble.ShownLines(cluster.Answer(err)))},
		Advice: "Change what the API server refuses, in the gateway's template or on the leaf. Then apply again.",
	}}
}

// describedDeployment returns the Deployment of a gateway, as the object of its technology, WireGuard, describes it.
func describedDeployment(
	ctx context.Context, leaf *cluster.Leaf, gateway *liqo.Gateway,
) (networkingv1beta1.DeploymentTemplate, error) {
	key := client.ObjectKey{Namespace: gateway.Made.Namespace, Name: gateway.Made.Name}
	if gateway.Role == liqo.ServerRole {
		var described networkingv1beta1.WgGatewayServer
		err := leaf.Read(ctx, key, &described)
		return described.Spec.Deployment, err
	}
	var described networkingv1beta1.WgGatewayClient
	err := leaf.Read(ctx, key, &described)
	return described.Spec.Deployment, err
}
