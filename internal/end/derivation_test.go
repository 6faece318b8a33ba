package end

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// chartTemplate is a template of Liqo's chart of a version, as Helm installs it without further values.
func chartTemplate(t *testing.T, name string) *unstructured.Unstructured {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "templates", name+".yaml"))
	must(t, err)
	text, err = yaml.YAMLToJSON(text)
	must(t, err)
	template := &unstructured.Unstructured{}
	must(t, template.UnmarshalJSON(text))
	return template
}

// rendered are the parts that Liqo makes of a template for a gateway.
func rendered(t *testing.T, template *unstructured.Unstructured) parts {
	t.Helper()
	spec := map[string]any{
		"MTU": int64(1340), "SecretRef": map[string]any{"Name": ""}, "Endpoint": map[string]any{
			"Port": int64(51840), "ServiceType": "NodePort", "NodePort": "", "LoadBalancerIP": "",
			"Addresses": []any{"192.0.2.1"},
		},
	}
	made, err := rendering{Spec: spec, Name: "rome", Namespace: "liqo-tenant-rome", ClusterID: "rome"}.parts(template)
	must(t, err)
	return made
}

// derivedParts are those of a template of Liqo's chart and of the one that is derived from it for these settings.
func derivedParts(t *testing.T, name string, settings liqo.PodSettings) (before, after parts) {
	t.Helper()
	template := chartTemplate(t, name)
	before = rendered(t, template)
	spec, err := derive(fieldsOf(template.Object["spec"]), settings)
	must(t, err)
	template.Object["spec"] = spec
	return before, rendered(t, template)
}

// charts are the versions of Liqo, and which of the containers of a gateway elect the active replica or follow it.
var charts = map[string][]string{
	"v1.0.1": {"gateway"}, "v1.1.2": {"gateway", "wireguard", "geneve"}, "v1.2.0": {"gateway", "wireguard", "geneve"},
}

func eachChart(t *testing.T, test func(t *testing.T, template string, electing []string)) {
	t.Helper()
	for version, electing := range charts {
		for _, role := range []string{"-server", "-client"} {
			t.Run(version+role, func(t *testing.T) { test(t, version+role, electing) })
		}
	}
}

// electionOf are the arguments of a container about the election, and all others.
func electionOf(container corev1.Container) (flags, others []string) {
	for _, arg := range container.Args {
		if strings.HasPrefix(arg, "--leader-election") {
			flags = append(flags, arg)
		} else {
			others = append(others, arg)
		}
	}
	return flags, others
}

func TestReplicasElectTheActiveOneInEveryVersionOfLiqo(t *testing.T) {
	eachChart(t, func(t *testing.T, template string, electing []string) {
		t.Helper()
		before, after := derivedParts(t, template, liqo.PodSettings{Replicas: 2, LeaseDuration: "4s"})
		spec, pods := after.Deployment.Spec, after.Deployment.Spec.Template
		rolls := spec.Strategy.RollingUpdate
		if ptr.Deref(spec.Replicas, 0) != 2 || spec.Strategy.Type != "RollingUpdate" ||
			rolls.MaxSurge.IntValue() != 0 || rolls.MaxUnavailable.IntValue() != 1 {
			t.Errorf("there are %v replicas with %+v", spec.Replicas, spec.Strategy)
		}
		if active, born := pods.Labels[activeLabel]; born || pods.Labels["networking.liqo.io/gateway-name"] != "rome" {
			t.Errorf("a pod is active (%q) from its start, of %v", active, pods.Labels)
		}
		var found []string
		for i, container := range pods.Spec.Containers {
			_, others := electionOf(before.Deployment.Spec.Template.Spec.Containers[i])
			flags, rest := electionOf(container)
			if !slices.Equal(rest, others) {
				t.Errorf("%s has %v, and had %v", container.Name, rest, others)
			}
			if slices.Equal(flags, []string{
				"--leader-election=true", "--leader-election-lease-duration=4s", "--leader-election-renew-deadline=2.667s",
				"--leader-election-retry-period=533ms",
			}) {
				found = append(found, container.Name)
			}
		}
		if !slices.Equal(found, electing) {
			t.Errorf("%v elect", found)
		}
		apart := pods.Spec.TopologySpreadConstraints
		if len(apart) != 1 || !reflect.DeepEqual(apart[0], corev1.TopologySpreadConstraint{
			MaxSkew: 1, MinDomains: ptr.To[int32](math.MaxInt32), TopologyKey: "kubernetes.io/hostname",
			WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: spec.Selector, MatchLabelKeys: []string{"pod-template-hash"},
		}) {
			t.Errorf("the replicas keep apart by %+v", apart)
		}
	})
}

func TestOneReplicaGoesOnAsTheTemplateSays(t *testing.T) {
	eachChart(t, func(t *testing.T, template string, _ []string) {
		t.Helper()
		before, after := derivedParts(t, template, liqo.PodSettings{Replicas: 1})
		if !reflect.DeepEqual(before, after) {
			t.Errorf("got %+v", after)
		}
	})
}

func TestSettingsOfPodsReachThemAndLeaveTheRest(t *testing.T) {
	settings := liqo.PodSettings{
		NodeSelector: map[string]string{"example.com/edge": "true"},
		Tolerations: []liqo.Toleration{
			{Key: "example.com/edge", Operator: "Exists", Effect: "NoExecute", Seconds: ptr.To[int64](5)},
		},
		PriorityClassName: "system-cluster-critical",
		Resources: map[string]liqo.ContainerResources{
			"wireguard": {Requests: map[string]string{"cpu": "1"}, Limits: map[string]string{"memory": "64Mi"}},
		},
		Annotations: map[string]string{"example.com/number": "7"}, Labels: map[string]string{"team": "network"},
	}
	tolerations := []corev1.Toleration{
		{Key: "example.com/edge", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: ptr.To[int64](5)},
	}
	eachChart(t, func(t *testing.T, template string, _ []string) {
		t.Helper()
		before, after := derivedParts(t, template, settings)
		pods, was := &after.Deployment.Spec.Template, &before.Deployment.Spec.Template
		wireguard := pods.Spec.Containers[1].Resources
		if !reflect.DeepEqual(pods.Spec.NodeSelector, settings.NodeSelector) ||
			!reflect.DeepEqual(pods.Spec.Tolerations, tolerations) ||
			pods.Spec.PriorityClassName != "system-cluster-critical" || pods.Annotations["example.com/number"] != "7" ||
			pods.Labels["team"] != "network" || !wireguard.Requests.Cpu().Equal(resource.MustParse("1")) ||
			!wireguard.Limits.Memory().Equal(resource.MustParse("64Mi")) {
			t.Errorf("the pods are %+v, %+v", pods.ObjectMeta, pods.Spec)
		}
		if !before.restartFor(after) || !after.restartFor(before) || after.carry(before) {
			t.Error("the change goes unnoticed in one of its directions")
		}
		delete(pods.Labels, "team")
		pods.Annotations, pods.Spec.NodeSelector, pods.Spec.Tolerations, pods.Spec.PriorityClassName = nil, nil, nil, ""
		pods.Spec.Containers[1].Resources = corev1.ResourceRequirements{}
		if !equality.Semantic.DeepEqual(*pods, *was) || !equality.Semantic.DeepEqual(before, after) {
			t.Errorf("something else has changed: %+v", *pods)
		}
	})
}

func TestWhatATemplateCannotExpressIsRefusedWithTheReason(t *testing.T) {
	two := liqo.PodSettings{Replicas: 2}
	containersIn := func(spec map[string]any) []map[string]any {
		d, err := deploymentIn(spec)
		must(t, err)
		return d.containers
	}
	const noDeployment = "`pods`: the template has no Deployment whose pods could have settings"
	for name, test := range map[string]struct {
		change   func(spec map[string]any)
		settings liqo.PodSettings
		expected string
	}{
		"no Deployment": {func(spec map[string]any) {
			delete(fieldsOf(fieldsOf(spec["template"])["spec"]), "deployment")
		}, two, noDeployment},
		"nothing at all": {func(spec map[string]any) { clear(spec) }, two, noDeployment},
		"no election": {func(spec map[string]any) {
			for _, container := range containersIn(spec) {
				container["args"] = []any{"--mode=server"}
			}
		}, two, "`replicas`: no container in the template has the argument --leader-election, with which replicas agree on " +
			"the active one"},
		"a Service that selects all": {func(spec map[string]any) {
			service := fieldsOf(fieldsOf(fieldsOf(fieldsOf(spec["template"])["spec"])["service"])["spec"])
			delete(fieldsOf(service["selector"]), activeLabel)
		}, two, "`replicas`: the Service in the template does not select the label networking.liqo.io/active, so it would " +
			"send packets to replicas that are not active"},
		"nobody to take over": {nil, liqo.PodSettings{LeaseDuration: "4s"},
			"`lease_duration`: no replica takes over from a single one; set `replicas` to 2 or more"},
		"a number": {nil, liqo.PodSettings{NodeSelector: map[string]string{"example.com/rack": "7"}},
			"`node_selector`: Liqo would make a number of the text \"7\" when it renders the template, and Kubernetes would " +
				"refuse it"},
		"a template": {nil, liqo.PodSettings{Annotations: map[string]string{"example.com/a": "{{ .Name }}"}},
			"`annotations`: Liqo would take \"{{ .Name }}\" for a template of its own"},
		"a container that is not there": {nil, liqo.PodSettings{Resources: map[string]liqo.ContainerResources{"wg": {}}},
			"`resources`: the template has no container \"wg\"; it has gateway, wireguard, geneve"},
		"more than a limit of the template": {func(spec map[string]any) {
			part(part(containersIn(spec)[1], "resources"), "limits")["memory"] = "256Mi"
		}, liqo.PodSettings{Resources: map[string]liqo.ContainerResources{
			"wireguard": {Requests: map[string]string{"memory": "0.5Gi", "cpu": "1"}},
		}}, "`resources`: container \"wireguard\" would request 512Mi of memory, more than its limit of 256Mi, with what " +
			"the template says of it"},
		"Liqo's label": {nil, liqo.PodSettings{Labels: map[string]string{activeLabel: "true"}},
			"`labels`: the label networking.liqo.io/active is Liqo's: with another value, a gateway would lose its pods"},
		"the Deployment's label": {nil, liqo.PodSettings{Labels: map[string]string{"app.kubernetes.io/name": "mine"}},
			"`labels`: the label app.kubernetes.io/name is Liqo's: with another value, a gateway would lose its pods"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := fieldsOf(chartTemplate(t, "v1.2.0-server").Object["spec"])
			if test.change != nil {
				test.change(spec)
			}
			before := runtime.DeepCopyJSON(spec)
			_, err := derive(spec, test.settings)
			if _, ok := errors.AsType[*inexpressible](err); !ok || err.Error() != test.expected {
				t.Errorf("got %v", err)
			}
			if !reflect.DeepEqual(spec, before) {
				t.Error("the base has changed")
			}
		})
	}
}

func TestARequestThatContradictsItsLimitIsRefusedAsInKubernetes(t *testing.T) {
	type quantities = map[string]any
	for name, test := range map[string]struct {
		requests, limits quantities
		expected         string
	}{
		"none":     {nil, nil, ""},
		"no limit": {quantities{"cpu": "1"}, quantities{"memory": "1Gi"}, ""},
		"as much":  {quantities{"cpu": "1000m"}, quantities{"cpu": int64(1)}, ""},
		"less":     {quantities{"memory": "1Mi"}, quantities{"memory": "2Mi"}, ""},
		"more": {
			quantities{"cpu": "1500m"}, quantities{"cpu": int64(1)}, "1500m of cpu, more than its limit of 1",
		},
		"rendered by Liqo":        {quantities{"cpu": "{{ .X }}"}, quantities{"cpu": "1"}, ""},
		"below what Liqo renders": {quantities{"cpu": "1"}, quantities{"cpu": "{{ .X }}"}, ""},
		"a device":                {quantities{"example.com/gpu": "1"}, quantities{"example.com/gpu": "1"}, ""},
		"a device without limit":  {quantities{"example.com/gpu": "1"}, nil, "1 of example.com/gpu without a limit"},
		"a part of huge pages": {
			quantities{"hugepages-2Mi": "2Mi"}, quantities{"hugepages-2Mi": "4Mi"},
			"2Mi of hugepages-2Mi, less than its limit of 4Mi",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := contradiction(test.requests, test.limits); got != test.expected {
				t.Errorf("got %q", got)
			}
		})
	}
}
