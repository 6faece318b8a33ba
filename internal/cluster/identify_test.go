package cluster

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestALeafWhoseIDIsNoNameIsRefused(t *testing.T) {
	for _, id := range []string{
		"x\"\n}\nresource \"terraform_data\" \"y\" {", "${file(\"/etc/passwd\")}", "a/b", "Rome", "-rome", "röme",
		"rome\x1b[2K",
		strings.Repeat("a", 64), strings.Repeat("\n", 1<<20),
	} {
		synctest.Test(t, func(t *testing.T) {
			ways := map[string]*distant{"rome": newDistant(id, time.Second)}
			registry := registryOver(ways, map[string]Credentials{"rome": {Host: "https://rome"}})
			leaf, err := registry.Leaf(t.Context(), "rome")
			if err == nil || !strings.Contains(err.Error(), `leaf "rome": it has no valid cluster ID`) || Lost(err) {
				t.Errorf("%.100q: the leaf is %v (%v)", id, leaf, err)
			}
			if text := err.Error(); len(text) > 1000 || strings.ContainsAny(text, "\n\x1b") {
				t.Errorf("%.100q: the error of %d characters shows it unquoted: %.1000q", id, len(text), text)
			}
			registry.Close()
			synctest.Wait()
		})
	}
}

func TestAClusterIDPinsALeaf(t *testing.T) {
	for pinned, accepted := range map[string]bool{"rome": true, "milan": false, "": true} {
		synctest.Test(t, func(t *testing.T) {
			ways := map[string]*distant{"leaf": newDistant("rome", time.Second)}
			registry := registryOver(ways, map[string]Credentials{"capital": {Host: "https://leaf", ClusterID: pinned}})
			began := time.Now()
			leaf, err := registry.Leaf(t.Context(), "capital")
			if took := time.Since(began).Truncate(time.Second); took > time.Second {
				t.Errorf("%q: it took %s", pinned, took)
			}
			switch {
			case accepted && (err != nil || leaf.ID != "rome"):
				t.Errorf("%q: the leaf is %v (%v)", pinned, leaf, err)
			case !accepted && (err == nil || Lost(err) ||
				!strings.Contains(err.Error(), `leaf "capital": another cluster answers: it has the cluster ID "rome"`) ||
				!strings.Contains(err.Error(), `"milan"`) || !strings.Contains(err.Error(), "`cluster_id`")):
				t.Errorf("%q: %v", pinned, err)
			}
			if !accepted {
				if _, err := registry.LeafByID(t.Context(), "rome"); err == nil {
					t.Errorf("%q: a search by the ID finds it", pinned)
				}
			}
			registry.Close()
			synctest.Wait()
		})
	}
}
