package main

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/binaries"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/kube"
)

// The default networks of a cluster: external as in Liqo's chart, service as in kubeadm.
var (
	defaultExternalCIDR = netip.MustParsePrefix("10.70.0.0/16")
	defaultServiceCIDR  = netip.MustParsePrefix("10.96.0.0/16")
	defaultClusters     = []string{"europe=10.200.0.0/16", "rome=10.202.0.0/16", "milan=10.203.0.0/16"}
)

// liqoVariable is the environment variable with the release of Liqo in clusters that request no other one.
const liqoVariable = "LIQO"

// standardCluster returns the networks and versions of clusters that request no others.
func standardCluster(ctx context.Context) (kube.Spec, error) {
	standard := kube.Spec{ExternalCIDR: defaultExternalCIDR, ServiceCIDR: defaultServiceCIDR, NodeCount: 1}
	var err error
	if standard.Kubernetes, err = binaries.DefaultKubernetes(); err != nil {
		return standard, err
	}
	standard.Liqo, err = releaseOrDefault(ctx, "")
	return standard, err
}

// releaseOrDefault returns a release of Liqo or, for an empty text, the one of clusters that request no other one.
func releaseOrDefault(ctx context.Context, text string) (binaries.LiqoRelease, error) {
	if text = cmp.Or(text, os.Getenv(liqoVariable)); text != "" {
		return binaries.ParseLiqo(ctx, text)
	}
	return binaries.DefaultLiqo()
}

// parseClusters parses the values of --cluster. Without any, it returns the default clusters. They
// are as the standard one, unless they request something else.
func parseClusters(ctx context.Context, values []string, standard kube.Spec) ([]kube.Spec, error) {
	if len(values) == 0 {
		values = defaultClusters
	}
	clusters := make([]kube.Spec, len(values))
	for i, value := range values {
		var err error
		if clusters[i], err = parseCluster(ctx, value, standard); err != nil {
			return nil, fmt.Errorf("--cluster %s: %w", value, err)
		}
	}
	return clusters, lab.CheckClusters(clusters)
}

func parseCluster(ctx context.Context, value string, standard kube.Spec) (kube.Spec, error) {
	name, rest, _ := strings.Cut(value, "=")
	options := strings.Split(rest, ",")
	c := standard
	c.Name = name
	if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
		return c, fmt.Errorf("the name %q: %s", name, strings.Join(problems, ", "))
	}
	var err error
	if c.PodCIDR, err = netip.ParsePrefix(options[0]); err != nil {
		return c, err
	}
	for _, option := range options[1:] {
		key, argument, _ := strings.Cut(option, "=")
		switch key {
		case "external":
			c.ExternalCIDR, err = netip.ParsePrefix(argument)
		case "service":
			c.ServiceCIDR, err = netip.ParsePrefix(argument)
		case "nodes":
			c.NodeCount, err = strconv.Atoi(argument)
		case "kubernetes":
			c.Kubernetes, err = binaries.ParseKubernetes(argument)
		case "liqo":
			c.Liqo, err = binaries.ParseLiqo(ctx, argument)
		case "no-liqo":
			c.Liqo = binaries.LiqoRelease{}
		default:
			err = fmt.Errorf("unknown option %q", option)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}
