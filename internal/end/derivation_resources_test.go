package end

import "testing"

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
