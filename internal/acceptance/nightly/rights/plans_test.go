package rights

import (
	"context"
	"errors"
	"testing"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
	"github.com/leafmesh/terraform-provider-liqo/internal/end"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

func TestAccNothingInTheExampleOfARoleForPlansIsSuperfluous(t *testing.T) {
	cached := append([]string{"connections.networking.liqo.io"}, written...)
	// Which applies were killed, as the data source liqo_shortcuts shows.
	listsUnfinished := func(ctx context.Context, s *shortcut.Shortcut) error {
		_, client := end.UnfinishedAt(ctx, s.Client.Leaf)
		_, server := end.UnfinishedAt(ctx, s.Server.Leaf)
		return errors.Join(client, server)
	}
	// What the data source liqo_cluster shows.
	describes := func(ctx context.Context, s *shortcut.Shortcut) error {
		_, version := liqo.Version(ctx, s.Client.Leaf)
		_, networks := liqo.RangesOf(ctx, s.Client.Leaf)
		_, templates := liqo.GatewayTemplates(ctx, s.Client.Leaf)
		return errors.Join(version, networks, templates)
	}
	finds := func(e *end.End, ctx context.Context, intent end.Intent) (err error) {
		for _, finding := range e.Preview(ctx, intent) {
			err = errors.Join(err, finding.Err)
		}
		return err
	}
	checksTemplates := func(ctx context.Context, s *shortcut.Shortcut) error {
		spec := specWith()
		return errors.Join(finds(s.Server, ctx, end.Intent{Gateway: &spec.Server, Follows: true}),
			finds(s.Client, ctx, end.Intent{Gateway: &spec.Client, Follows: true}))
	}
	checksNamespace := func(ctx context.Context, s *shortcut.Shortcut) error {
		return finds(s.Server, ctx, end.Intent{Namespace: new(ownNamespace), NewNamespace: true})
	}
	checksLoadBalancer := func(ctx context.Context, s *shortcut.Shortcut) error {
		spec := specWith(withLoadBalancer)
		return finds(s.Server, ctx, end.Intent{Gateway: &spec.Server, NewGateway: true})
	}
	asksWhyDown := func(ctx context.Context, s *shortcut.Shortcut) error { return s.WhyDown(ctx) }
	onEachStage(t, func(s *stage) {
		silent := func() { // the gateways seem to have reported nothing for a long time
			s.has()()
			for leaf, other := range acctest.Other {
				s.lab.PatchStatus(s.t, leaf, acctest.Named(&networkingv1beta1.Connection{}, ownNamespace, "gw-"+other),
					`{"status":{"latency":{"value":"1ms","timestamp":"2026-01-01T00:00:00Z"}}}`)
			}
		}
		withoutAddress := func() {
			s.withoutLoadBalancer()
			ctx, cancel := context.WithTimeout(s.t.Context(), impatient)
			defer cancel()
			if err := connects(withLoadBalancer)(ctx, s.administrator); err == nil {
				s.t.Fatal("the gateway has an address")
			}
		}
		s.needsEveryRight([]string{"plans"}, nil, []use{
			// Without it, the networks of killed applies look complete.
			{name: "a list of the applies that were killed", do: listsUnfinished, succeeds: true,
				rights: []string{"list leases.coordination.k8s.io in liqo"}},
			// It may also succeed with a list before a watch is refused.
			{name: "a connection that lasts", do: looksForLong(&liqov1beta1.ForeignCluster{}),
				rights: append(of(cached, "watch"), "watch foreignclusters.core.liqo.io", "list configmaps in liqo")},
			{name: "a connection to older API servers", fault: withoutStreaming, rights: of(cached, "list")},
			{name: "a cluster's data", do: describes,
				rights: append(of(templates, "list"), "list networks.ipam.liqo.io", "list deployments.apps in liqo")},
			{name: "a plan of templates", do: checksTemplates, rights: of(templates, "get")},
			{name: "a plan of a load balancer", do: checksLoadBalancer, rights: []string{"list services"}},
			{name: "a plan of namespaces", do: checksNamespace,
				rights: []string{"get namespaces", "list foreignclusters.core.liqo.io"}},
			{name: "a refresh after a destroy", prepare: s.remove, do: observes,
				rights: []string{"list namespaces", "get leases.coordination.k8s.io in liqo"}},
			{name: "a refresh with silent gateways", prepare: silent, do: observes,
				rights: []string{"get connections.networking.liqo.io"}},
			{name: "a look at the gateways", prepare: s.has(), do: inspects, rights: []string{"list pods"}},
			{name: "an explanation why a tunnel is down", prepare: s.has(), do: asksWhyDown,
				rights: []string{"get services", "get deployments.apps"}},
			{name: "an explanation why a tunnel has never been up", prepare: withoutAddress, do: asksWhyDown,
				rights: []string{"list events"}},
		})
	})
}
