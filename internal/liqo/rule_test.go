package liqo

import "testing"

func TestARuleIncludesWhatItLetsCrossInAnyCase(t *testing.T) {
	all, web := Rule{}, Rule{Protocol: TCP, Port: 80}
	ports := Rule{Protocol: TCP, Port: 80, EndPort: 90}
	part := Rule{Protocol: TCP, Port: 80, CIDRs: []string{"10.1.0.0/17"}}
	for name, test := range map[string]struct {
		one, other Rule
		includes   bool
	}{
		"itself":                        {web, web, true},
		"everything":                    {all, part, true},
		"not everything":                {web, all, false},
		"more ports":                    {ports, web, true},
		"fewer ports":                   {web, ports, false},
		"no port":                       {Rule{Protocol: TCP}, ports, true},
		"every port in place of one":    {web, Rule{Protocol: TCP}, false},
		"another protocol":              {Rule{Protocol: UDP}, web, false},
		"all pods":                      {web, part, true},
		"a part of them":                {part, web, false},
		"a part with a part of its own": {part, Rule{Protocol: TCP, Port: 80, CIDRs: []string{"10.1.4.0/24"}}, true},
		"another part":                  {part, Rule{Protocol: TCP, Port: 80, CIDRs: []string{"10.1.128.0/24"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.one.Includes(test.other); got != test.includes {
				t.Errorf("%t", got)
			}
		})
	}
}
