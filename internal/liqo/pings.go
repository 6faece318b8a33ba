package liqo

import (
	"context"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/leafmesh/terraform-provider-liqo/internal/cluster"
)

// Pings say how a gateway checks that the other one answers, and how often it reports that in its Connection.
type Pings struct {
	Enabled       bool          // without pings, a gateway reports the tunnel as up once, and never again
	Interval      time.Duration // between two pings
	LossThreshold int           // after so many lost pings the gateway reports that the tunnel failed
	Report        time.Duration // the least time between two reports of a tunnel that is up
}

// UsualPings returns those of a gateway whose arguments do not say otherwise: the defaults of Liqo 1.2.0,
// pkg/gateway/connection/flags.go.
func UsualPings() Pings {
	return Pings{Enabled: true, Interval: 2 * time.Second, LossThreshold: 5, Report: 10 * time.Second}
}

// PingsOf returns the pings of a gateway, as the arguments of its Deployment say. They are the usual ones if there is
// no Deployment, or if the credentials do not allow to read it. It asks the API server.
func PingsOf(ctx context.Context, leaf *cluster.Leaf, gateway client.Object) (Pings, error) {
	var deployment appsv1.Deployment
	err := leaf.Live.Get(ctx, MadeForGateway(gateway), &deployment)
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
		return UsualPings(), nil
	}
	return readPings(&deployment), leaf.Explain(err)
}

// readPings reads the flags of the gateway's container, whose name Liqo does not promise. What can't be read is as
// usual: a gateway does not start with it.
func readPings(deployment *appsv1.Deployment) Pings {
	pings := UsualPings()
	for _, container := range deployment.Spec.Template.Spec.Containers {
		for _, argument := range container.Args {
			flag, value, _ := strings.Cut(argument, "=")
			switch flag {
			case "--ping-enabled":
				set(&pings.Enabled, value, strconv.ParseBool)
			case "--ping-interval":
				set(&pings.Interval, value, time.ParseDuration)
			case "--ping-loss-threshold":
				set(&pings.LossThreshold, value, strconv.Atoi)
			case "--ping-update-status-interval":
				set(&pings.Report, value, time.ParseDuration)
			}
		}
	}
	return pings
}

// set stores a value that can be read.
func set[T any](field *T, text string, parse func(string) (T, error)) {
	if value, err := parse(text); err == nil {
		*field = value
	}
}
