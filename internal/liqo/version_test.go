package liqo_test

import (
	"errors"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
	"github.com/leafmesh/terraform-provider-liqo/internal/cluster/clustertest"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

func TestOnlyAVersionThatIsKnownToBeTooOldIsRefused(t *testing.T) {
	for tag, supported := range map[string]bool{
		"v0.10.3": false, "v1.0.0": true, "v1.0.0-rc.3": true, "v1.2.0": true, "v2.0.0": true, "my-branch": true,
	} {
		t.Run(tag, func(t *testing.T) {
			controllers := clustertest.Controllers("ghcr.io/liqotech/liqo-controller-manager:" + tag)
			leaf := clustertest.Leaf(t, "rome", controllers)
			if version, err := liqo.Version(t.Context(), leaf); err != nil || version != tag {
				t.Fatalf("the version is %q (%v), expected %q", version, err, tag)
			}
			err := liqo.CheckVersion(t.Context(), leaf)
			if (err == nil) != supported {
				t.Error(err)
			}
			if err != nil && !strings.Contains(err.Error(), "It is "+tag+", and this provider needs v1.0.0 or newer") {
				t.Error(err)
			}
		})
	}
}

func TestAVersionThatNoImageSaysIsNoObstacleAndNoAnswerOfTheAPIServer(t *testing.T) {
	leaf := clustertest.Leaf(t, "rome")
	if err := liqo.CheckVersion(t.Context(), leaf); err != nil {
		t.Error(err)
	}
	_, err := liqo.Version(t.Context(), leaf)
	explained, ok := errors.AsType[*cluster.Error](err)
	if !ok || explained.Summary != "the version of Liqo is not known" ||
		strings.Contains(explained.Detail(), "The answer") {
		t.Errorf("the error is: %v", err)
	}
}

func TestAVersionThatMayNotBeReadSaysWhichPermissionIsMissing(t *testing.T) {
	leaf := clustertest.Leaf(t, "rome")
	clustertest.Fail[any](leaf, "list", apierrors.NewForbidden(appsv1.Resource("deployments"), "", errors.New(
		`User "terraform" cannot list resource "deployments" in API group "apps" in the namespace "liqo"`)))
	_, err := liqo.Version(t.Context(), leaf)
	if err == nil || !strings.Contains(err.Error(), "no permission to list deployments.apps") {
		t.Errorf("the error is: %v", err)
	}
}
