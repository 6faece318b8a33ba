package cluster

import (
	"errors"
	"fmt"
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
		t.Run(id[:min(len(id), 20)], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				registry, way := registryAt(t, time.Second)
				way.idHolder().Data[consts.ClusterIDConfigMapKey] = id
				leaf, err := registry.Leaf(t.Context(), "rome")
				if err == nil || !strings.Contains(err.Error(), `leaf "rome": it has no valid cluster ID`) || Lost(err) {
					t.Errorf("the leaf is %v (%v)", leaf, err)
				}
				if text := err.Error(); len(text) > 1000 || strings.ContainsAny(text, "\n\x1b") {
					t.Errorf("the error of %d characters shows it unquoted: %.1000q", len(text), text)
				}
			})
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
				registry, way := registryAt(t, time.Second)
				test.change(way, way.idHolder())
				_, err := registry.Leaf(t.Context(), "rome")
				explained, ok := errors.AsType[*Error](err)
				if !ok || explained.ID != "cluster-id-invalid" || Lost(err) || NoLiqo(err) {
					t.Fatalf("got %v", err)
				}
				has(t, explained.Detail(), test.parts...)
			})
		})
	}
}

// idHolder is the ConfigMap with the cluster ID.
func (d *distant) idHolder() *corev1.ConfigMap {
	return d.objects["configmaps"][0].(*corev1.ConfigMap) //nolint:errcheck,forcetypeassert // see newDistant
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
				if accepted {
					if err != nil || leaf.ID != "rome" {
						t.Errorf("the leaf is %v (%v)", leaf, err)
					}
					return
				}
				has(t, fmt.Sprint(err), `leaf "capital": another cluster answers: it has the cluster ID "rome"`, `"milan"`,
					"`cluster_id`")
				if _, notFound := registry.LeafByID(t.Context(), "rome"); notFound == nil || Lost(err) {
					t.Errorf("it is lost: %t, or a search by the ID finds it (%v)", Lost(err), notFound)
				}
			})
		})
	}
}
