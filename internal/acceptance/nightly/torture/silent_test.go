package torture

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/leafmesh/terraform-provider-liqo/internal/acceptance/acctest"
)

func TestAccALeafThatSwallowsPacketsDelaysAPlanOnceAndCanBeGivenUp(t *testing.T) {
	lab := acctest.Borrow(t, acctest.Pair)
	p := lab.NewProject(t, t.TempDir())
	p.Write("main.tf", lab.Between("milan", acctest.OverNodePort+"\nforce_destroy = true"))
	p.Apply()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts connections, and nobody answers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	reached := fmt.Sprintf("config_path = %q", lab.Kubeconfig)
	swallowed := fmt.Sprintf("%s\n  clusters = { milan = { host = \"https://%s\" } }", reached, silent.Addr())
	p.Write("main.tf", strings.Replace(lab.Between("milan", acctest.OverNodePort+"\nforce_destroy = true")+`
		data "liqo_cluster" "rome" { name = "rome" }`, reached, swallowed, 1))
	began := time.Now()
	acctest.Says(t, p.Run("plan"), `Warning: The API server did not answer in time on leaf "milan"`, "No changes.")
	if took := time.Since(began); took > time.Minute { // one dial takes ten seconds
		t.Errorf("the plan took %s", took)
	}
	acctest.Says(t, p.Run("destroy", "-auto-approve"), "Warning: Only one leaf was cleaned", "1 destroyed")
	// Only Milan still has objects. A new shortcut adopts them, and its destroy removes them.
	acctest.Apply(t, resource.TestStep{Config: lab.Between("milan", acctest.OverNodePort+"\nadopt_existing = true")})
}

func isWatch(r *http.Request) bool { return r.URL.Query().Get("watch") == "true" }
