package acceptance

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
)

// importBlock imports the shortcut s from Rome to Milan.
const importBlock = `
	import {
	  to = liqo_shortcut.s
	  id = "rome/milan"
	}`

// imported returns a project that has imported a network which liqoctl made, with a command or with a block. It has
// changed nothing on the leaves yet.
func (l *Lab) imported(t *testing.T, withBlock bool) *project {
	t.Helper()
	l.joinByHand(t, "rome", "milan")()
	before := l.configurations(t)
	p := l.stateIn(t, "imported", joining("s", "rome", "milan", ""))
	if withBlock {
		p.configure(joining("s", "rome", "milan", "") + importBlock)
		says(t, p.run("apply", "-auto-approve"), "1 imported, 0 added, 0 changed, 0 destroyed")
	} else {
		p.run("import", "liqo_shortcut.s", "rome/milan")
	}
	p.unchanged()
	if after := l.configurations(t); strings.Join(after, "\n") != strings.Join(before, "\n") {
		t.Errorf("the import has changed\n%v\nto\n%v", before, after)
	}
	return p
}

// loses stops the API server of Milan, and lets the project give Milan up. The end of the test starts it again, too.
func (l *Lab) loses(t *testing.T, p *project, config string) {
	t.Helper()
	l.command(t, "stop-apiserver", "milan")
	t.Cleanup(func() { l.command(t, "start-apiserver", "milan") })
	p.configure(config)
	says(t, p.run("apply", "-auto-approve"), `Warning: The API server can't be reached on leaf "milan"`,
		"The shortcut could not be refreshed. Its state stays unchanged.", "0 added, 1 changed, 0 destroyed")
	p.unchanged()
}

func TestAccAnImportedShortcutGivesUpALostLeafBeforeItsFirstUpdate(t *testing.T) {
	lab := borrowLab(t)
	forced := joining("s", "rome", "milan", "force_destroy = true")
	for name, withBlock := range map[string]bool{"imported with a command": false, "imported with a block": true} {
		t.Run(name, func(t *testing.T) {
			lab.keepsInventory(t)
			p := lab.imported(t, withBlock)
			lab.loses(t, p, forced)
			says(t, p.run("destroy", "-auto-approve"), "Warning: Only one leaf was cleaned",
				`Cluster "milan" (milan) is gone.`, "1 destroyed")
			var left networkingv1beta1.ConfigurationList
			if err := lab.client(t, "rome").List(t.Context(), &left); err != nil || len(left.Items) > 0 {
				t.Errorf("Rome still has %v (%v)", left.Items, err)
			}
			lab.command(t, "start-apiserver", "milan")
			// Only Milan still has objects. A new shortcut adopts them, and its destroy removes them.
			apply(t, resource.TestStep{Config: lab.between("milan", overNodePort+"\nadopt_existing = true")})
		})
	}
}

func TestAccAnImportedShortcutIsAdoptedAfterALostLeafIsBack(t *testing.T) {
	lab := borrowLab(t)
	p := lab.imported(t, false)
	destroyAtLast(p)
	lab.loses(t, p, joining("s", "rome", "milan", "force_destroy = true"))
	lab.command(t, "start-apiserver", "milan")
	p.unchanged()
	if now := strings.Join(lab.configurations(t), "\n"); strings.Contains(now, "terraform-provider-liqo") {
		t.Errorf("the network has been adopted without a change: %s", now)
	}
	p.configure(joining("s", "rome", "milan", "mtu = 1400"))
	says(t, p.run("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed")
	p.unchanged()
	for _, one := range lab.configurations(t) {
		if !strings.Contains(one, "terraform-provider-liqo") {
			t.Errorf("the update has not adopted %s", one)
		}
	}
}
