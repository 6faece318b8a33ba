package cluster

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/liqotech/liqo/pkg/consts"
	corev1 "k8s.io/api/core/v1"

	"github.com/leafmesh/terraform-provider-liqo/internal/access"
)

func TestALeafWhoseIDIsNoNameIsRefused(t *testing.T) {
	for _, id := range []string{
		"x\"\n}\nresource \"terraform_data\" \"y\" {", "${file(\"/etc/passwd\")}", "a/b", "Rome", "-rome", "röme",
		"rome\x1b[2K",
		strings.Repeat("a", 64), strings.Repeat("\n", 1<<20),
	} {
		synctest.Test(t, func(t *testing.T) {
			ways := map[string]*distant{"rome": newDistant(id, time.Second)}
			registry := registryOver(t, ways, map[string]access.Credentials{"rome": {Host: "https://rome"}})
			leaf, err := registry.Leaf(t.Context(), "rome")
			if err == nil || !strings.Contains(err.Error(), `leaf "rome": it has no valid cluster ID`) || Lost(err) {
				t.Errorf("%.100q: the leaf is %v (%v)", id, leaf, err)
			}
			if text := err.Error(); len(text) > 1000 || strings.ContainsAny(text, "\n\x1b") {
				t.Errorf("%.100q: the error of %d characters shows it unquoted: %.1000q", id, len(text), text)
			}
		})
	}
}

func TestALeafWithoutOneConfigMapOfItsIDIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*distant, *corev1.ConfigMap)
		parts  []string
	}{
		"no ID": {
			func(_ *distant, holder *corev1.ConfigMap) { holder.Data = nil },
			[]string{"ConfigMap liqo/id has no `CLUSTER_ID`.", "Write the former ID back"},
		},
		"two of them": {
			func(d *distant, holder *corev1.ConfigMap) {
				second := holder.DeepCopy()
				second.Name = "copy"
				d.objects["configmaps"] = append(d.objects["configmaps"], second)
			},
			[]string{"Several ConfigMaps have Liqo's label for it: \"liqo/copy\", \"liqo/id\".", "Delete the others"},
		},
		"a text that is no ID": {
			func(_ *distant, holder *corev1.ConfigMap) { holder.Data[consts.ClusterIDConfigMapKey] = "Rome" },
			[]string{`ConfigMap liqo/id has the ID "Rome".`, "lower-case letters"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				way := newDistant("rome", time.Second)
				holder := way.objects["configmaps"][0].(*corev1.ConfigMap) //nolint:errcheck,forcetypeassert // see newDistant
				test.change(way, holder)
				registry := registryOver(t, map[string]*distant{"rome": way},
					map[string]access.Credentials{"rome": {Host: "https://rome"}})
				_, err := registry.Leaf(t.Context(), "rome")
				explained, ok := errors.AsType[*Error](err)
				if !ok || explained.ID != "cluster-id-invalid" || Lost(err) || NoLiqo(err) {
					t.Fatalf("got %v", err)
				}
				for _, part := range test.parts {
					if !strings.Contains(explained.Detail(), part) {
						t.Errorf("%q is not in:\n%s", part, explained.Detail())
					}
				}
			})
		})
	}
}

func TestAClusterIDPinsALeaf(t *testing.T) {
	for pinned, accepted := range map[string]bool{"rome": true, "milan": false, "": true} {
		t.Run(pinned, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ways := map[string]*distant{"leaf": newDistant("rome", time.Second)}
				registry := registryOver(t, ways, map[string]access.Credentials{
					"capital": {Host: "https://leaf", ClusterID: pinned},
				})
				began := time.Now()
				leaf, err := registry.Leaf(t.Context(), "capital")
				if took := time.Since(began).Truncate(time.Second); took > time.Second {
					t.Errorf("it took %s", took)
				}
				switch {
				case accepted && (err != nil || leaf.ID != "rome"):
					t.Errorf("the leaf is %v (%v)", leaf, err)
				case !accepted && (err == nil || Lost(err) ||
					!strings.Contains(err.Error(), `leaf "capital": another cluster answers: it has the cluster ID "rome"`) ||
					!strings.Contains(err.Error(), `"milan"`) || !strings.Contains(err.Error(), "`cluster_id`")):
					t.Error(err)
				}
				if !accepted {
					if _, err := registry.LeafByID(t.Context(), "rome"); err == nil {
						t.Errorf("a search by the ID finds it")
					}
				}
			})
		})
	}
}
