package rights

import (
	"slices"
	"time"

	liqov1beta1 "github.com/liqotech/liqo/apis/core/v1beta1"
	ipamv1alpha1 "github.com/liqotech/liqo/apis/ipam/v1alpha1"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// of returns the rights to use each of the verbs for each of the resources.
func of(resources []string, verbs ...string) []string {
	var all []string
	for _, resource := range resources {
		for _, verb := range verbs {
			all = append(all, verb+" "+resource)
		}
	}
	return all
}

var (
	written = []string{
		"configurations.networking.liqo.io", "gatewayservers.networking.liqo.io", "gatewayclients.networking.liqo.io",
		"publickeies.networking.liqo.io",
	}
	connections = []string{"connections.networking.liqo.io"}
	firewalls   = []string{"firewallconfigurations.networking.liqo.io"}
	wireGuards  = []string{"wggatewayservers.networking.liqo.io", "wggatewayclients.networking.liqo.io"}
	templates   = []string{"wggatewayservertemplates.networking.liqo.io", "wggatewayclienttemplates.networking.liqo.io"}
	peerings    = []string{
		"tenants.authentication.liqo.io", "identities.authentication.liqo.io", "resourceslices.authentication.liqo.io",
	}
	dependents = slices.Concat(wireGuards, []string{"deployments.apps", "services"})
)

// toConnect is what every user of a leaf does first.
var toConnect = []use{
	{
		// Without it, the networks of killed applies look complete.
		name: "a list of the applies that were killed", do: listsUnfinished,
		rights: []string{"list leases.coordination.k8s.io in liqo"}, degraded: succeeds,
	},
	{
		// It may also succeed with a list before a watch is refused.
		name: "a connection that lasts", do: looksForLong,
		rights: append(of(slices.Concat(written, connections), "watch"), "list configmaps in liqo"),
	},
	{
		name: "a connection to older API servers", fault: withoutStreaming,
		rights: of(slices.Concat(written, connections), "list"),
	},
}

// toManage is what users do with the role to manage shortcuts.
var toManage = slices.Concat(toConnect, []use{
	{
		name: "the version of Liqo", do: describes,
		rights: append(of(templates, "list"), "list networks.ipam.liqo.io", "list deployments.apps in liqo"),
	},
	{
		name: "a refresh after a destroy", prepare: absent, do: observes,
		rights: []string{"list namespaces", "list foreignclusters.core.liqo.io", "get leases.coordination.k8s.io in liqo"},
	},
	{
		name: "a destroy of nothing", prepare: absent, do: disconnects,
		rights: append(of(wireGuards, "list"), of(peerings, "list")...),
	},
	{
		name: "a create", prepare: absent, do: connects(inOwnNamespaces()),
		rights: append(of(written, "create", "patch"), "get namespaces", "get secrets",
			"create leases.coordination.k8s.io in liqo"),
	},
	{
		name: "a create with another apply under way", prepare: leased(time.Now()), do: connects(inOwnNamespaces()),
		rights: []string{"watch leases.coordination.k8s.io in liqo"},
	},
	{
		name: "a create after another one was killed", prepare: leased(time.Now().Add(-time.Hour)),
		do: connects(inOwnNamespaces()), rights: []string{"update leases.coordination.k8s.io in liqo"},
	},
	{
		name: "an update", prepare: present, do: connects(inOwnNamespaces(), withOtherMTU),
		rights: append(of(templates, "get"), "delete connections.networking.liqo.io"),
	},
	{
		name: "an update that renews no routes", prepare: present, do: connects(inOwnNamespaces(), withOtherMTU),
		rights: []string{
			"patch routeconfigurations.networking.liqo.io",
			"get internalfabrics.networking.liqo.io", "watch internalfabrics.networking.liqo.io",
		},
		degraded: succeeds,
	},
	{
		name: "a rotation of the keys", prepare: present, do: connects(inOwnNamespaces(), withOtherKeys),
		rights: []string{"delete pods"},
	},
	{
		name: "settings of the gateways' pods", prepare: absent, do: connects(inOwnNamespaces(), withPods),
		rights: of(templates, "create", "patch"),
	},
	{
		name: "a destroy of gateways with settings of their pods", prepare: presentWithPods, do: disconnects,
		rights: of(templates, "delete"),
	},
	{
		name: "a create with rules of what may cross", prepare: absent, do: connects(inOwnNamespaces(), withRules),
		rights: of(firewalls, "create", "patch"),
	},
	{
		name: "a look at rules that lasts", prepare: presentWithRules, do: looksForLong, rights: of(firewalls, "watch"),
	},
	{
		name: "a refresh of rules on older API servers", prepare: presentWithRules, fault: withoutStreaming, do: observes,
		rights: of(firewalls, "list"),
	},
	{
		name: "a change of rules", prepare: presentWithRules, do: connects(inOwnNamespaces(), withOtherRules),
		rights: []string{"patch firewallconfigurations/status.networking.liqo.io"},
	},
	{
		name: "a removal of all rules", prepare: presentWithRules, do: connects(inOwnNamespaces()),
		rights: of(firewalls, "delete", "get"),
	},
	{
		// Without them, the plan does not warn.
		name: "a plan of settings of pods", do: checksPlacement, degraded: succeeds,
		rights: []string{"list nodes", "get priorityclasses.scheduling.k8s.io"},
	},
	{
		name: "a refresh with silent gateways", prepare: silent, do: observes,
		rights: []string{"get connections.networking.liqo.io"},
	},
	{name: "a look at the gateways", prepare: present, do: inspects, rights: []string{"list pods"}},
	{
		name: "an explanation why there is no address", prepare: withoutLoadBalancer, limit: impatient,
		do: connects(inOwnNamespaces(), withLoadBalancer), rights: []string{"list events"},
	},
	{
		name: "an explanation why there is no Service", prepare: absent, limit: impatient,
		do: connects(inOwnNamespaces(), withRefusedPort), rights: []string{"create services"},
	},
	{
		name: "an explanation why the Service does not change", prepare: present, limit: impatient,
		do: connects(inOwnNamespaces(), withRefusedPort), rights: []string{"patch services"},
	},
	{
		name: "a destroy", prepare: present, do: disconnects,
		rights: slices.Concat(of(written, "delete"), of(dependents, "get"),
			[]string{"delete foreignclusters.core.liqo.io", "get networks.ipam.liqo.io",
				"delete leases.coordination.k8s.io in liqo"}),
	},
	{
		name: "a destroy while Liqo's record stays", do: disconnects, prepare: held(&liqov1beta1.ForeignClusterList{}),
		rights: []string{"watch foreignclusters.core.liqo.io"},
	},
	{
		name: "an update while Liqo is slow on the server", prepare: withoutLiqo("milan"),
		do: connects(inOwnNamespaces(), withOtherMTU), rights: []string{"watch wggatewayservers.networking.liqo.io"},
	},
	{
		name: "an update while Liqo is slow on the client", prepare: withoutLiqo("rome"),
		do: connects(inOwnNamespaces(), withOtherMTU), rights: []string{"watch wggatewayclients.networking.liqo.io"},
	},
	{
		name: "a destroy while a Deployment stays", prepare: held(&appsv1.DeploymentList{}), do: disconnects,
		rights: []string{"watch deployments.apps"},
	},
	{
		name: "a destroy while a Service stays", prepare: held(&corev1.ServiceList{}), do: disconnects,
		rights: []string{"watch services"},
	},
	{
		name: "a destroy while keys stay", prepare: held(&corev1.SecretList{}), do: disconnects,
		rights: []string{"watch secrets"},
	},
	{
		name: "a destroy while address ranges stay", prepare: held(&ipamv1alpha1.NetworkList{}), do: disconnects,
		rights: []string{"watch networks.ipam.liqo.io"},
	},
	{
		name: "an explanation what a server's gateway waits for", do: disconnects, limit: impatient,
		prepare: held(&networkingv1beta1.GatewayServerList{}), rights: []string{"get gatewayservers.networking.liqo.io"},
	},
	{
		name: "an explanation what a client's gateway waits for", do: disconnects, limit: impatient,
		prepare: held(&networkingv1beta1.GatewayClientList{}), rights: []string{"get gatewayclients.networking.liqo.io"},
	},
	{
		name: "an explanation what address ranges wait for", do: disconnects, limit: impatient,
		prepare: held(&networkingv1beta1.ConfigurationList{}), rights: []string{"get configurations.networking.liqo.io"},
	},
	{
		name: "a destroy of a gateway with a Secret of the user", prepare: withSecret, do: disconnects,
		rights: []string{"patch secrets"},
	},
	{
		name: "a create of tenant namespaces", prepare: absent, do: connects(inTenantNamespaces()),
		rights: []string{"create namespaces"},
	},
	{
		name: "a create in tenant namespaces that a shortcut has left", prepare: abandoned,
		do: connects(inTenantNamespaces()), rights: []string{"patch namespaces"},
	},
	{
		name: "a destroy of tenant namespaces", prepare: presentInTenantNamespaces, do: disconnects,
		rights: []string{"delete namespaces"},
	},
	{
		name: "a destroy while a tenant namespace stays", prepare: withHeldNamespace, do: disconnects,
		rights: []string{"watch namespaces"},
	},
})

// toPlan is what users do with the role to plan.
var toPlan = slices.Concat(toConnect, []use{
	{
		name: "a cluster's data", do: describes,
		rights: append(of(templates, "list"), "list networks.ipam.liqo.io", "list deployments.apps in liqo"),
	},
	{name: "a plan of templates", do: checksTemplates, rights: of(templates, "get")},
	{
		name: "a plan of namespaces", do: checksNamespace,
		rights: []string{"get namespaces", "list foreignclusters.core.liqo.io"},
	},
	{
		name: "a refresh after a destroy", prepare: absent, do: observes,
		rights: []string{"list namespaces", "get leases.coordination.k8s.io in liqo"},
	},
	{
		name: "a refresh with silent gateways", prepare: silent, do: observes,
		rights: []string{"get connections.networking.liqo.io"},
	},
	{
		name: "a look at the gateways", prepare: present, do: inspects,
		rights: []string{"list pods"},
	},
	{
		name: "an explanation why a tunnel is down", prepare: present, do: asksWhyDown,
		rights: []string{"get services", "get deployments.apps"},
	},
	{
		name: "an explanation why a tunnel has never been up", prepare: withoutAddress, do: asksWhyDown,
		rights: []string{"list events"},
	},
	{name: "a plan that takes long", do: looksForLong, rights: []string{"watch foreignclusters.core.liqo.io"}},
})
