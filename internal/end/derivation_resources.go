package end

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// setResources sets what each container requests, and its limits. They add to those of the template, so Kubernetes may
// refuse the two together.
func (d derivedDeployment) setResources(settings liqo.PodSettings) error {
	var names []string
	for _, container := range d.containers {
		name, _ := container["name"].(string)
		names = append(names, name)
		resources, ok := settings.Resources[name]
		if !ok {
			continue
		}
		all := part(container, "resources")
		for kind, quantities := range map[string]map[string]string{
			"requests": resources.Requests, "limits": resources.Limits,
		} {
			for resource, quantity := range quantities {
				part(all, kind)[resource] = quantity
			}
		}
		if reason := contradiction(fieldsOf(all["requests"]), fieldsOf(all["limits"])); reason != "" {
			return &inexpressible{"resources", fmt.Sprintf("container %q would request %s, with what the template says of it",
				name, reason)}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(settings.Resources)) {
		if !slices.Contains(names, name) {
			return &inexpressible{"resources", fmt.Sprintf("the template has no container %q; it has %s",
				name, strings.Join(names, ", "))}
		}
	}
	return nil
}

// contradiction says which request Kubernetes refuses because of its limit, or returns an empty text. What is no
// quantity before Liqo has rendered the template contradicts nothing.
func contradiction(requests, limits map[string]any) string {
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		request, err := resource.ParseQuantity(fmt.Sprint(requests[name]))
		if err != nil {
			continue
		}
		limit, err := resource.ParseQuantity(fmt.Sprint(limits[name]))
		reserved := strings.HasPrefix(name, "hugepages-") || strings.Contains(name, "/") // for one container only
		switch {
		case limits[name] == nil && reserved:
			return fmt.Sprintf("%s of %s without a limit", request.String(), name)
		case limits[name] == nil, err != nil:
		case request.Cmp(limit) > 0:
			return fmt.Sprintf("%s of %s, more than its limit of %s", request.String(), name, limit.String())
		case request.Cmp(limit) != 0 && reserved:
			return fmt.Sprintf("%s of %s, less than its limit of %s", request.String(), name, limit.String())
		}
	}
	return ""
}
