package topology

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leafmesh/terraform-provider-liqo/internal/direct"
	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
	"github.com/leafmesh/terraform-provider-liqo/internal/shortcut"
)

// placed returns a Service with pods in serving leaves, and with others of its namespace in asking ones.
func placed(namespace, name, serving, asking string) direct.Placement {
	placement := direct.Placement{
		Namespace: namespace, Name: name, Serving: map[string]bool{}, Pods: map[string]int{},
	}
	for leaf := range strings.FieldsSeq(serving) {
		placement.Serving["id-"+leaf] = true
	}
	for leaf := range strings.FieldsSeq(serving + " " + asking) {
		placement.Pods["id-"+leaf]++
	}
	return placement
}

// spoke returns the peering of Europe with a leaf, with a network of this latency. Europe dials, unless the leaf does.
func spoke(leaf string, latency time.Duration, dials bool) shortcut.Link {
	one := link("europe", leaf)
	if dials {
		one = link(leaf, "europe")
	}
	one.Peering, one.MTU = peering("europe", leaf).Peering, 1340
	if latency > 0 {
		one.Latency = &liqo.Latency{Value: latency}
	}
	return one
}

// shownPairs returns the pairs of a graph in one line each.
func shownPairs(graph Graph) []string {
	var lines []string
	for _, pair := range graph.Pairs {
		var services []string
		for _, service := range pair.Services {
			services = append(services, service.Namespace+"/"+service.Name)
		}
		line := fmt.Sprintf("%s/%s %v %d:%d", pair.Client, pair.Server, services, pair.ClientPods, pair.ServerPods)
		if pair.HasShortcut {
			line += " joined"
		}
		if pair.CentralLatency != nil {
			line += " " + pair.CentralLatency.Value.String()
		}
		lines = append(lines, line)
	}
	return lines
}

func TestPairsShareAServiceOrHaveAShortcut(t *testing.T) {
	spokes := []shortcut.Link{spoke("milan", 5*time.Millisecond, false), spoke("naples", 0, false),
		spoke("rome", 7*time.Millisecond, false), spoke("turin", 0, true)}
	made := func(client, server string, mtu int) shortcut.Link {
		one := link(client, server)
		one.MTU = mtu
		return one
	}
	peered := made("rome", "milan", 1340)
	peered.Peering = peering("milan", "rome").Peering
	web := placed("shop", "web", "milan", "rome rome") //nolint:dupword // two pods
	db := placed("shop", "db", "milan rome", "rome")
	for name, test := range map[string]struct {
		links      []shortcut.Link
		placements []direct.Placement
		expected   []string
	}{
		"nothing": {nil, nil, nil},
		"endpoints in one leaf, other pods in another one": {
			nil, []direct.Placement{web}, []string{"milan/rome [shop/web] 1:2 12ms"},
		},
		"endpoints in both": {
			nil, []direct.Placement{placed("shop", "web", "milan rome", "")}, []string{"milan/rome [shop/web] 1:1 12ms"},
		},
		"two Services of one namespace, whose pods count once, and one of another": {
			nil, []direct.Placement{placed("bank", "web", "rome", "milan"), db, web},
			[]string{"milan/rome [bank/web shop/db shop/web] 2:3 12ms"}},
		"two leaves that only ask": {nil, []direct.Placement{placed("shop", "web", "milan", "rome naples")}, []string{
			"milan/naples [shop/web] 1:1", "milan/rome [shop/web] 1:1 12ms"}},
		"a leaf that Europe does not dial is the client": {nil, []direct.Placement{placed("shop", "web", "turin", "rome")},
			[]string{"turin/rome [shop/web] 1:1"}},
		"the same, by name": {nil, []direct.Placement{placed("shop", "web", "turin", "milan")},
			[]string{"turin/milan [shop/web] 1:1"}},
		"as it is joined": {[]shortcut.Link{made("rome", "milan", 1340)}, []direct.Placement{web},
			[]string{"rome/milan [shop/web] 2:1 joined 12ms"}},
		"as it is joined and peered": {[]shortcut.Link{peered}, nil, []string{"rome/milan [] 0:0 joined 12ms"}},
		"without a gateway yet, as it was proposed": {[]shortcut.Link{made("rome", "turin", 0)}, nil,
			[]string{"turin/rome [] 0:0 joined"}},
		"a peering without a network": {[]shortcut.Link{peering("rome", "milan")}, nil, nil},
		"a leaf that is no node":      {nil, []direct.Placement{placed("shop", "web", "milan", "venice")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			graph := New(shortcut.Survey{
				Leaves: leavesOf("europe", "milan", "naples", "rome", "turin"), Links: slices.Concat(spokes, test.links),
			}, "europe")
			err := graph.AddPairs(test.placements)
			if lines := shownPairs(graph); err != nil || !slices.Equal(lines, test.expected) || graph.Pairs == nil {
				t.Errorf("%q, %v", lines, err)
			}
		})
	}
}

// Who creates a shortcut for each pair must not destroy any of them because one exists.
func TestPairsAreTheSameBeforeAndAfterTheyAreJoined(t *testing.T) {
	leaves := []string{"milan", "naples", "rome", "turin"}
	var links []shortcut.Link
	for i, leaf := range leaves {
		links = append(links, spoke(leaf, 0, i%2 == 0))
	}
	placements := []direct.Placement{placed("shop", "web", "milan rome", "naples turin")}
	identities := func(links []shortcut.Link) (all [][2]string) {
		graph := New(shortcut.Survey{Leaves: leavesOf(append(leaves, "europe")...), Links: links}, "europe")
		if err := graph.AddPairs(placements); err != nil {
			t.Fatal(err)
		}
		for _, pair := range graph.Pairs {
			all = append(all, [2]string{pair.Client, pair.Server})
		}
		return all
	}
	before := identities(links)
	if len(before) != 5 {
		t.Errorf("got %q", before)
	}
	for _, pair := range before { // one after the other
		one := link(pair[0], pair[1])
		one.MTU = 1340
		links = append(links, one)
		if after := identities(links); !reflect.DeepEqual(after, before) {
			t.Errorf("with a shortcut from %s to %s: %q, before: %q", pair[0], pair[1], after, before)
		}
	}
}

func TestPairsAreAnErrorIfAClusterThatCannotBeReadMayBelongToOne(t *testing.T) {
	web := placed("shop", "web", "milan", "rome")
	for name, test := range map[string]struct {
		rome, milan, problem string
	}{
		"both were read":             {"rome", "milan", ""},
		"one whose name is its ID":   {"rome", "id-milan", ""},
		"one with another ID":        {"rome", "other", `which may be one of those`},
		"both, with names as IDs":    {"id-rome", "id-milan", `whether "id-milan" and "id-rome" have a shortcut`},
		"both, one with another one": {"id-rome", "other", `which may be one of those`},
	} {
		t.Run(name, func(t *testing.T) {
			survey := shortcut.Survey{
				Leaves: leavesOf("europe"), Links: []shortcut.Link{spoke("rome", 0, false), spoke("milan", 0, false)},
			}
			for read, shown := range map[string]string{"rome": test.rome, "milan": test.milan} {
				if shown == read {
					survey.Leaves = append(survey.Leaves, leavesOf(read)...)
				} else {
					survey.Leaves = append(survey.Leaves, shortcut.Leaf{Name: shown, Err: errors.New("no answer")})
				}
			}
			graph := New(survey, "europe")
			err := graph.AddPairs([]direct.Placement{web})
			if (err == nil) != (test.problem == "") || err != nil && !strings.Contains(err.Error(), test.problem) {
				t.Error(err)
			}
			if err == nil && len(graph.Pairs) != 1 {
				t.Errorf("%+v", graph.Pairs)
			}
		})
	}
}
