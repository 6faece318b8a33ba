package binaries

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// listener is where the source of a program says on which address it listens. Liqo's programs are for pods, which have
// networks of their own: they listen on every address, and some ask nobody for credentials. In a lab they run on the
// machine, where only the machine itself may reach them.
type listener struct {
	file             string // in the program's module
	everywhere, here string // the text in the file, and what it is for a lab
}

// The listeners of Liqo's programs. A program without one listens nowhere, or where the lab tells it to.
var (
	ipamListener    = listener{"cmd/ipam/main.go", `"0.0.0.0:%d"`, `"127.0.0.1:%d"`}
	webhookListener = listener{
		"cmd/webhook/main.go", "Port: int(*webhookPort),", `Host: "127.0.0.1", Port: int(*webhookPort),`,
	}
	virtualKubeletListener = listener{"cmd/virtual-kubelet/root/http.go", `"0.0.0.0:%d"`, `"127.0.0.1:%d"`}
)

// files implements [change].
func (l listener) files(module string) (map[string][]byte, error) {
	name := filepath.Join(module, filepath.FromSlash(l.file))
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if found := strings.Count(string(content), l.everywhere); found != 1 {
		return nil, fmt.Errorf("%s of %s has the text %s %d times and not once; with another one, the program would "+
			"listen on every address of this machine", l.file, filepath.Base(module), l.everywhere, found)
	}
	return map[string][]byte{name: []byte(strings.Replace(string(content), l.everywhere, l.here, 1))}, nil
}

// key implements [change].
func (l listener) key() [][]byte {
	return [][]byte{[]byte(l.file), []byte(l.everywhere), []byte(l.here)}
}
