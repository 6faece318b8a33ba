// Package binaries builds the programs of a lab from Go modules, once for each version, and keeps
// them in the user's cache folder. It downloads nothing but modules.
package binaries

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/modfile"
)

// Program is a program to build.
type Program struct {
	// Name is the file's name.
	Name string
	// module is the folder, beside this file, whose go.mod pins the versions. pkg is the main
	// package.
	module, pkg string
	// source is the module with the program's version. variables are the linker's -X assignments,
	// with VERSION for that version, and MAJOR and MINOR for its parts.
	source    string
	variables []string
}

const (
	kubernetes = "k8s.io/kubernetes"
	liqo       = "github.com/liqotech/liqo"
)

// kubernetesVersion are the variables that Kubernetes' own build sets.
var kubernetesVersion = []string{
	"k8s.io/component-base/version.gitVersion=VERSION",
	"k8s.io/component-base/version.gitMajor=MAJOR",
	"k8s.io/component-base/version.gitMinor=MINOR",
	"k8s.io/component-base/version.gitTreeState=clean",
	"k8s.io/client-go/pkg/version.gitVersion=VERSION",
	"k8s.io/client-go/pkg/version.gitMajor=MAJOR",
	"k8s.io/client-go/pkg/version.gitMinor=MINOR",
}

// The programs that a cluster is made of.
var (
	Etcd = Program{
		Name: "etcd", module: "cluster", pkg: "go.etcd.io/etcd/server/v3", source: "go.etcd.io/etcd/server/v3",
	}
	KubeAPIServer = Program{
		Name: "kube-apiserver", module: "cluster", pkg: kubernetes + "/cmd/kube-apiserver",
		source: kubernetes, variables: kubernetesVersion,
	}
	KubeControllerManager = Program{
		Name: "kube-controller-manager", module: "cluster", pkg: kubernetes + "/cmd/kube-controller-manager",
		source: kubernetes, variables: kubernetesVersion,
	}
	KubeScheduler = Program{
		Name: "kube-scheduler", module: "cluster", pkg: kubernetes + "/cmd/kube-scheduler",
		source: kubernetes, variables: kubernetesVersion,
	}
	LiqoControllerManager = Program{
		Name: "liqo-controller-manager", module: "cluster", pkg: liqo + "/cmd/liqo-controller-manager", source: liqo,
	}
	LiqoIPAM    = Program{Name: "liqo-ipam", module: "cluster", pkg: liqo + "/cmd/ipam", source: liqo}
	LiqoWebhook = Program{Name: "liqo-webhook", module: "cluster", pkg: liqo + "/cmd/webhook", source: liqo}
)

// The programs that a cluster needs in addition to be peered. One copies Liqo's objects to the
// other cluster, one represents that cluster as a node.
var (
	LiqoCRDReplicator = Program{
		Name: "liqo-crd-replicator", module: "cluster", pkg: liqo + "/cmd/crd-replicator", source: liqo,
	}
	LiqoVirtualKubelet = Program{
		Name: "liqo-virtual-kubelet", module: "cluster", pkg: liqo + "/cmd/virtual-kubelet", source: liqo,
	}
)

// The programs that carry packets between clusters: those of a gateway's pod, and the one that each
// node runs. The modules of the cluster's other programs contain everything for them, so they need
// no go.mod of their own.
var (
	LiqoGateway   = Program{Name: "liqo-gateway", module: "cluster", pkg: liqo + "/cmd/gateway", source: liqo}
	LiqoWireGuard = Program{Name: "liqo-wireguard", module: "cluster", pkg: liqo + "/cmd/gateway/wireguard", source: liqo}
	LiqoFabric    = Program{Name: "liqo-fabric", module: "cluster", pkg: liqo + "/cmd/fabric", source: liqo}
)

// The command-line tools that tests and users use with the clusters.
var (
	Liqoctl = Program{Name: "liqoctl", module: "cluster", pkg: liqo + "/cmd/liqoctl", source: liqo,
		variables: []string{liqo + "/pkg/liqoctl/version.LiqoctlVersion=VERSION"}}
	OpenTofu = Program{Name: "tofu", module: "opentofu", pkg: "github.com/opentofu/opentofu/cmd/tofu",
		source:    "github.com/opentofu/opentofu",
		variables: []string{"github.com/opentofu/opentofu/version.dev=no"}}
)

// Cluster returns the programs that every cluster needs.
func Cluster() []Program {
	return []Program{
		Etcd, KubeAPIServer, KubeControllerManager, KubeScheduler, LiqoControllerManager, LiqoIPAM, LiqoWebhook,
	}
}

// Peering returns the programs that a cluster needs in addition to be peered.
func Peering() []Program { return []Program{LiqoCRDReplicator, LiqoVirtualKubelet} }

// DataPlane returns the programs that the real data plane needs in addition.
func DataPlane() []Program { return []Program{LiqoGateway, LiqoWireGuard, LiqoFabric} }

// moduleFolder returns the folder of a go.mod beside this file's source.
func moduleFolder(module string) (string, error) {
	_, file, _, ok := runtime.Caller(0)
	folder := filepath.Join(filepath.Dir(file), module)
	if _, err := os.Stat(filepath.Join(folder, "go.mod")); !ok || err != nil {
		return "", fmt.Errorf("the sources of the lab are not at %s, and with them which versions to build; "+
			"build liqo-lab without -trimpath, and run it where it was built", folder)
	}
	return folder, nil
}

// versionOf returns the version of a module that a go.mod requires.
func versionOf(goMod []byte, source string) (string, error) {
	parsed, err := modfile.ParseLax("go.mod", goMod, nil)
	if err != nil {
		return "", err
	}
	for _, require := range parsed.Require {
		if require.Mod.Path == source {
			return require.Mod.Version, nil
		}
	}
	return "", fmt.Errorf("go.mod does not require %s", source)
}

// KubernetesVersion is the version of the clusters, with a leading v.
func KubernetesVersion() (string, error) { return version(kubernetes) }

// LiqoVersion is the version of Liqo in the clusters, with a leading v.
func LiqoVersion() (string, error) { return version(liqo) }

func version(source string) (string, error) {
	folder, err := moduleFolder("cluster")
	if err != nil {
		return "", err
	}
	goMod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return "", err
	}
	return versionOf(goMod, source)
}

// LiqoSource returns the folder of Liqo's module, with its Helm chart and CRDs. It downloads the
// module if necessary.
func LiqoSource(ctx context.Context) (string, error) {
	folder, err := moduleFolder("cluster")
	if err != nil {
		return "", err
	}
	out, err := goCommand(ctx, folder, "mod", "download", "-json", liqo)
	if err != nil {
		return "", err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &module); err != nil {
		return "", fmt.Errorf("go mod download: %w", err)
	}
	return module.Dir, nil
}

// goCommand runs the go command in a folder and returns its output.
func goCommand(ctx context.Context, folder string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var errors strings.Builder
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, errors.String())
	}
	return strings.TrimSpace(string(out)), nil
}
