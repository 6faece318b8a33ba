package binaries

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAProgramThatWouldListenEverywhereListensOnThisMachineOnly(t *testing.T) {
	for _, program := range []Program{LiqoIPAM, LiqoWebhook, LiqoVirtualKubelet} {
		l, ok := program.change.(listener)
		if !ok {
			t.Fatalf("%s listens anywhere", program.Name)
		}
		folder := t.TempDir()
		file := filepath.Join(folder, filepath.FromSlash(l.file))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("before "+l.everywhere+" after"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := makeIn(folder, l); err != nil {
			t.Errorf("%s: %v", program.Name, err)
		}
		content, err := os.ReadFile(file)
		if string(content) != "before "+l.here+" after" || err != nil || !strings.Contains(l.here, "127.0.0.1") {
			t.Errorf("%s listens on %q, %v", program.Name, content, err)
		}
	}
}

func TestAProgramThatDoesNotSayWhereItListensIsNotBuilt(t *testing.T) {
	b := newTestBuild(t, `package main; func main() { println("[::]:80") }`)
	err := makeIn(b.folder, listener{"main.go", "0.0.0.0", "127.0.0.1"})
	if err == nil || !strings.Contains(err.Error(), "would listen on every address") {
		t.Errorf("the error is %v", err)
	}
}
