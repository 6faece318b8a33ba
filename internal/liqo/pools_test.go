package liqo

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

func TestThePoolsAreThoseOfTheIPAMsArguments(t *testing.T) {
	ipam := func(arguments ...string) *appsv1.Deployment {
		return &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Args: arguments}}},
		}}}
	}
	for name, test := range map[string]struct {
		ipam     *appsv1.Deployment
		expected []string // nil if nobody knows
	}{
		"named":     {ipam("--port=6000", "--pools=10.0.0.0/8,100.64.0.0/10"), []string{"10.0.0.0/8", "100.64.0.0/10"}},
		"not named": {ipam("--port=6000"), []string{"10.0.0.0/8", "192.168.0.0/16", "172.16.0.0/12"}},
		"not read":  {ipam("--pools=everything"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			var found []string
			for _, pool := range poolsOf(flagsOf(test.ipam)) {
				found = append(found, pool.String())
			}
			if !slices.Equal(found, test.expected) {
				t.Errorf("got %v", found)
			}
		})
	}
}

// FuzzPools reads the pools of an IPAM from any argument.
func FuzzPools(f *testing.F) {
	for _, argument := range []string{
		"--pools=10.0.0.0/8,192.168.0.0/16", "--pools=", "--pools=,", "--pools=fd00::/8", "--pools=10.0.0.0/99", "--other",
	} {
		f.Add(argument)
	}
	f.Fuzz(func(t *testing.T, argument string) {
		ipam := &appsv1.Deployment{}
		ipam.Spec.Template.Spec.Containers = []corev1.Container{{Args: []string{argument}}, {}}
		for _, pool := range poolsOf(flagsOf(ipam)) {
			if !pool.IsValid() {
				t.Errorf("%q: %v", argument, pool)
			}
		}
	})
}
