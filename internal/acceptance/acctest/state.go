package acctest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Values returns the attributes of a resource or a data source in the project's state.
func (p *Project) Values(address string) map[string]any {
	p.T.Helper()
	var state struct {
		Values struct {
			RootModule struct {
				Resources []struct {
					Address string         `json:"address"`
					Values  map[string]any `json:"values"`
				} `json:"resources"`
			} `json:"root_module"`
		} `json:"values"`
	}
	Must(p.T, json.Unmarshal([]byte(p.Run("show", "-json")), &state))
	for _, one := range state.Values.RootModule.Resources {
		if one.Address == address {
			return one.Values
		}
	}
	p.T.Fatalf("the state has no %s", address)
	return nil
}

// Value returns the value at a path of a resource or a data source in the state. The path has names of attributes and
// indices of lists, with dots between them. At its end, # stands for the length of a list.
func (p *Project) Value(address, path string) any {
	p.T.Helper()
	return p.at(p.Values(address), path)
}

func (p *Project) at(value any, path string) any {
	p.T.Helper()
	for name := range strings.SplitSeq(path, ".") {
		found := false
		switch holder := value.(type) {
		case map[string]any:
			value, found = holder[name]
		case []any:
			if found = name == "#"; found {
				value = len(holder)
			} else if index, err := strconv.Atoi(name); err == nil && index < len(holder) {
				value, found = holder[index], true
			}
		}
		if !found {
			p.T.Fatalf("there is no %s of %s", name, path)
		}
	}
	return value
}

// Is fails the test unless a resource or a data source in the state has these values at the paths of [Project.Value].
// They are compared as text. Nil is null.
func (p *Project) Is(address string, expected map[string]any) {
	p.T.Helper()
	values := p.Values(address)
	for _, path := range slices.Sorted(maps.Keys(expected)) {
		if got := p.at(values, path); fmt.Sprint(got) != fmt.Sprint(expected[path]) {
			p.T.Errorf("%s of %s is %v, expected %v", path, address, got, expected[path])
		}
	}
}

// IsConnected fails the test unless the tunnel from Rome to Milan is up.
func (p *Project) IsConnected() {
	p.T.Helper()
	p.Is(RomeMilan, map[string]any{"status": "Connected"})
}

// KeepsPodCIDR fails the test unless the only pod CIDR of a leaf of a shortcut is this one, and is not remapped.
func (p *Project) KeepsPodCIDR(address, network, podCIDR string) {
	p.T.Helper()
	p.Is(address, map[string]any{
		network + ".pod_cidrs": []string{podCIDR}, network + ".remapped_pod_cidrs": []string{podCIDR},
	})
}

// Resources returns the addresses in the project's state.
func (p *Project) Resources() string {
	p.T.Helper()
	return strings.TrimSpace(p.Run("state", "list"))
}

// HasNoState fails the test if the project's state has a resource.
func (p *Project) HasNoState() {
	p.T.Helper()
	if left := p.Resources(); left != "" {
		p.T.Errorf("the state has %s", left)
	}
}

// Forget lets a project keep these resources on the cluster, but not in its state. It replaces the configuration.
func (p *Project) Forget(addresses ...string) {
	p.T.Helper()
	var blocks strings.Builder
	for _, address := range addresses {
		fmt.Fprintf(&blocks, "removed {\n  from = %s\n  lifecycle {\n    destroy = false\n  }\n}\n", address)
	}
	p.Configure(BothLeaves + blocks.String())
	p.Run("apply", "-auto-approve")
	p.HasNoState()
}

// Evaluate returns the text that an expression has in the state.
func (p *Project) Evaluate(expression string) string {
	p.T.Helper()
	console := p.Command(p.T.Context(), "console")
	console.Stdin = strings.NewReader(expression)
	output, err := console.Output()
	if err != nil {
		p.T.Fatalf("%s: %v", expression, err)
	}
	return strings.Trim(strings.TrimSpace(string(output)), `"`)
}
