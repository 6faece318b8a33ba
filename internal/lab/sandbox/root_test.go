package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFilesOfAPodStayInItsSandbox(t *testing.T) {
	machine := t.TempDir()
	root := filepath.Join(machine, "sandbox", "root")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(machine, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	err := fill(root, Spec{
		Files:   map[string][]byte{"/keys/privateKey": []byte("key"), "/../../etc/cron.d/job": []byte("job")},
		Folders: []string{"/ipc", "/keys/../../../outside"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"keys/privateKey", "etc/cron.d/job", "ipc", "outside"} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
	if err := fill(root, Spec{Files: map[string][]byte{"/link/job": []byte("job")}}); err == nil {
		t.Error("a link leads out of the sandbox")
	}
	found, err := filepath.Glob(filepath.Join(machine, "*"))
	if err != nil || len(found) != 1 {
		t.Errorf("the machine has %v, %v", found, err)
	}
}
