package packets

import (
	"testing"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccPacketsCrossAsTheShortcutAllows(t *testing.T) {
	lab := acctest.BorrowReal(t, acctest.Plane)
	p := lab.Join(t, "europe", acctest.OverNodePort+`
		allow = [{ to = "server", protocol = "tcp", port = 80 }]`)
	web := lab.Probe(t, "http", "rome", "http://"+p.ServerAt, "--until-answer", "--count=300", "--timeout=200ms")
	if web.Answer.Name != "europe/default/a" || web.Answer.Source != p.RomeAt {
		t.Errorf("Rome's pod is answered %+v", web)
	}
	lab.ReachesNot(t, "rome", p.ServerAt)
	if back := lab.Probe(t, "http", "europe", "http://"+p.RomeAt, "--count=2"); back.Received > 0 {
		t.Errorf("Europe's pod reaches Rome's: %+v", back)
	}
	p.Configure(acctest.OverNodePort)
	p.Update()
	p.Works()
}
