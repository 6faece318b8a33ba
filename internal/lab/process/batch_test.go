package process

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestAProgramOfTheLabRunsAsABatch(t *testing.T) {
	if os.Getenv("LAB_BATCH") != "" {
		if err := Batch(); err != nil {
			t.Fatal(err)
		}
		// The policy is the 41st field.
		child, err := exec.Command("sh", "-c", `cut -d " " -f 41 /proc/$$/stat; cat /proc/$$/timerslack_ns`).Output()
		if err != nil {
			t.Fatal(err)
		}
		_, _ = os.Stdout.Write(child)
		return
	}
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$") // it changes its process
	command.Env = append(os.Environ(), "LAB_BATCH=1")
	said, err := command.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(said), "3\n"+timerSlack+"\n") {
		t.Errorf("%s (%v)", said, err)
	}
}
