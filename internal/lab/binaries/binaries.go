// Package binaries builds the programs of a lab from Go modules, once for each version, and keeps
// them in the user's cache folder. It downloads nothing but modules.
package binaries

// Program is a program to build.
type Program struct {
	// Name is the file's name.
	Name string
	// module is the folder, beside this file, whose go.mod pins the versions. It is empty for a program that is built
	// with the versions of its own go.mod. pkg is the main package.
	module, pkg string
	// source is the module with the program's version. variables are the linker's -X assignments,
	// with VERSION for that version, and MAJOR and MINOR for its parts.
	source    string
	variables []string
	// change is what the lab changes in its source, or nil.
	change change
	// requested is another version of the source than the one that the go.mod pins, or empty. A program without module
	// has always one. sources is the folder that has this version, or empty if it is in the source's module.
	requested, sources string
}

const (
	liqoModule = "github.com/liqotech/liqo"
	wireGuard  = "golang.zx2c4.com/wireguard" // a dependency of Liqo
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

// The programs that every cluster is made of.
var (
	Etcd = Program{
		Name: "etcd", module: "cluster", pkg: "go.etcd.io/etcd/server/v3", source: "go.etcd.io/etcd/server/v3",
	}
	KubeAPIServer         = kubernetesProgram("kube-apiserver")
	KubeControllerManager = kubernetesProgram("kube-controller-manager")
	KubeScheduler         = kubernetesProgram("kube-scheduler")
)

// The programs of Liqo that every cluster with Liqo runs.
var (
	LiqoControllerManager = liqoProgram("liqo-controller-manager", "liqo-controller-manager")
	LiqoIPAM              = liqoProgram("liqo-ipam", "ipam").with(ipamListener)
	LiqoWebhook           = liqoProgram("liqo-webhook", "webhook").with(webhookListener)
)

// The programs that a cluster needs in addition to be peered. One copies Liqo's objects to the
// other cluster, one represents that cluster as a node.
var (
	LiqoCRDReplicator  = liqoProgram("liqo-crd-replicator", "crd-replicator")
	LiqoVirtualKubelet = liqoProgram("liqo-virtual-kubelet", "virtual-kubelet").with(virtualKubeletListener)
)

// The programs that carry packets between clusters: those of a gateway's pod, and the one that each
// node runs. The modules of the cluster's other programs contain everything for them, so they need
// no go.mod of their own.
var (
	LiqoGateway   = liqoProgram("liqo-gateway", "gateway")
	LiqoWireGuard = liqoProgram("liqo-wireguard", "gateway/wireguard")
	LiqoFabric    = liqoProgram("liqo-fabric", "fabric")
	// WireGuardGo is WireGuard in user space.
	WireGuardGo = Program{Name: "wireguard-go", module: "cluster", pkg: wireGuard, source: wireGuard}
)

// The command-line tools that tests and users use with the clusters.
var (
	Liqoctl  = liqoProgram("liqoctl", "liqoctl", liqoModule+"/pkg/liqoctl/version.LiqoctlVersion=VERSION")
	OpenTofu = Program{Name: "tofu", module: "opentofu", pkg: "github.com/opentofu/opentofu/cmd/tofu",
		source:    "github.com/opentofu/opentofu",
		variables: []string{"github.com/opentofu/opentofu/version.dev=no"}}
)

// kubernetesProgram returns a program of Kubernetes.
func kubernetesProgram(name string) Program {
	return Program{
		Name: name, module: "cluster", pkg: kubernetes + "/cmd/" + name, source: kubernetes, variables: kubernetesVersion,
	}
}

// liqoProgram returns a program of Liqo. Command is its folder in the folder cmd of Liqo's module.
func liqoProgram(name, command string, variables ...string) Program {
	return Program{
		Name: name, module: "cluster", pkg: liqoModule + "/cmd/" + command, source: liqoModule, variables: variables,
	}
}

// with returns a program whose source changes.
func (p Program) with(c change) Program {
	p.change = c
	return p
}

// Cluster returns the programs that every cluster with a version of Kubernetes needs.
func Cluster(kubernetesVersion string) []Program {
	return append([]Program{Etcd}, Kubernetes(kubernetesVersion)...)
}

// Liqo returns the programs that a cluster with a release of Liqo needs in addition.
func Liqo(release LiqoRelease) []Program {
	return at(release, LiqoControllerManager, LiqoIPAM, LiqoWebhook)
}

// Peering returns the programs that a cluster with a release of Liqo needs in addition to be peered.
func Peering(release LiqoRelease) []Program {
	return at(release, LiqoCRDReplicator, LiqoVirtualKubelet)
}

// DataPlane returns the programs that the real data plane needs in addition for a cluster with a
// release of Liqo.
func DataPlane(release LiqoRelease) []Program {
	programs := at(release, LiqoGateway, LiqoWireGuard, LiqoFabric)
	if release.Version.RunsWireGuardGo() {
		programs = append(programs, WireGuardGo)
	}
	return programs
}

// At returns one of Liqo's programs of a release.
func (p Program) At(release LiqoRelease) Program {
	p.requested, p.sources = string(release.Version), release.Folder
	return p
}

func at(release LiqoRelease, programs ...Program) []Program {
	for i := range programs {
		programs[i] = programs[i].At(release)
	}
	return programs
}
