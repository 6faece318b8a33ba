package acceptance

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// silentAddress returns the address of a listener that accepts connections and never answers.
func silentAddress(t *testing.T) string {
	t.Helper()
	return "https://" + listen(t, func(connection net.Conn) { t.Cleanup(func() { connection.Close() }) })
}

// listen accepts connections until the end of the test, and returns the host and port at which it does. Each connection
// is handled before the next one is accepted.
func listen(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			handle(connection)
		}
	}()
	return listener.Addr().String()
}

func TestAccALeafThatSwallowsPacketsDelaysAPlanOnceAndCanBeGivenUp(t *testing.T) {
	lab := borrowLab(t)
	p := lab.newProject(t, t.TempDir())
	p.write("main.tf", lab.between("milan", overNodePort+"\nforce_destroy = true"))
	p.apply()
	reached := fmt.Sprintf("config_path = %q", lab.Kubeconfig)
	swallowed := fmt.Sprintf("%s\n  clusters = { milan = { host = %q } }", reached, silentAddress(t))
	p.write("main.tf", strings.Replace(lab.between("milan", overNodePort+"\nforce_destroy = true")+`
		data "liqo_cluster" "rome" { name = "rome" }`, reached, swallowed, 1))
	began := time.Now()
	says(t, p.run("plan"), `Warning: The API server did not answer in time on leaf "milan"`, "No changes.")
	if took := time.Since(began); took > time.Minute { // one dial takes ten seconds
		t.Errorf("the plan took %s", took)
	}
	says(t, p.run("destroy", "-auto-approve"), "Warning: Only one leaf was cleaned", "1 destroyed")
	// Only Milan still has objects. A new shortcut adopts them, and its destroy removes them.
	apply(t, resource.TestStep{Config: lab.between("milan", overNodePort+"\nadopt_existing = true")})
}
