package fleet

import (
	"crypto/tls"
	"net/http"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/cert"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
)

// Installation is a chart of Liqo, read and rendered once for all fleets, because that takes a second. It is safe for
// concurrent use.
type Installation struct {
	withLiqo, bare served
	managers       *managers
	seeds          []*contents // the objects of the chart

	certificate tls.Certificate // of all leaves
	authority   []byte          // who vouches for it: itself
}

// served is what a leaf serves.
type served struct {
	resources resources
	schemas   http.Handler
}

// Load reads a chart of this release of Liqo.
func Load(chart *kube.Chart, release binaries.LiqoRelease) (*Installation, error) {
	crds, err := chart.CRDs()
	if err != nil {
		return nil, err
	}
	i := &Installation{managers: newManagers()}
	if i.seeds, err = chart.Render(withRanges(Disjoint([]string{"leaf"}, release)[0], 0)); err != nil {
		return nil, err
	}
	if i.withLiqo, err = newServed(crds); err != nil {
		return nil, err
	}
	if i.bare, err = newServed(nil); err != nil {
		return nil, err
	}
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	if err != nil {
		return nil, err
	}
	i.authority = certificate
	i.certificate, err = tls.X509KeyPair(certificate, key)
	return i, err
}

func newServed(crds []*apiextensionsv1.CustomResourceDefinition) (served, error) {
	schemas, err := newSchemas(crds)
	return served{newResources(crds), schemas}, err
}

// Disjoint describes leaves with these names. Each has pods in a range of its own.
func Disjoint(names []string, release binaries.LiqoRelease) []kube.Spec {
	const firstPodCIDR = 100
	specs := make([]kube.Spec, len(names))
	for i, name := range names {
		podCIDR := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(firstPodCIDR + i)}), 16)
		specs[i] = kube.Spec{Name: name, Liqo: release, PodCIDR: podCIDR}
	}
	return specs
}

// withRanges adds the ranges that a leaf does not give. The one of its external addresses belongs to its number, so
// Liqo remaps none of them.
func withRanges(spec kube.Spec, number int) kube.Spec {
	if !spec.ExternalCIDR.IsValid() {
		spec.ExternalCIDR = netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 168, byte(number)}), 24)
	}
	if !spec.ServiceCIDR.IsValid() {
		spec.ServiceCIDR = netip.MustParsePrefix("10.96.0.0/16")
	}
	return spec
}

// install creates the objects of Liqo's chart. They were rendered for another leaf. They differ in the cluster's ID and
// its ranges only.
func (c *controller) install(spec kube.Spec, seeds []*contents) error {
	const namespace = "liqo"
	if err := c.ensure(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		return err
	}
	ranges := map[string]netip.Prefix{
		"pod-cidr": spec.PodCIDR, "external-cidr": spec.ExternalCIDR, "service-cidr": spec.ServiceCIDR,
	}
	for _, seed := range seeds {
		r := c.resources.ofKind(seed.GroupVersionKind())
		if r == nil {
			continue // the provider does not use it
		}
		one := seed.DeepCopy()
		if r.namespaced && one.GetNamespace() == "" {
			one.SetNamespace(namespace)
		}
		if one.GroupVersionKind() == v1.WithKind("ConfigMap") && one.GetName() == "liqo-clusterid-configmap" {
			one.Object["data"] = map[string]any{"CLUSTER_ID": spec.Name}
		}
		if cidr, ok := ranges[one.GetName()]; ok && one.GroupVersionKind() == networkKind {
			one.Object["spec"] = map[string]any{"cidr": cidr.String()}
		}
		_, err := c.store.write(r, key(one), func(present *contents) (*contents, error) {
			return c.managers.update(r, "", present, one, "helm")
		})
		if err != nil {
			return err
		}
	}
	return nil
}
