package binaries

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// kubernetes is a module that needs many others of the same repository.
const kubernetes = "k8s.io/kubernetes"

// oldestKubernetes is the oldest version whose programs take the flags of the lab.
const oldestKubernetes = "v1.30.0"

// ParseKubernetes parses a release such as v1.36.3. It does not check that the release exists.
func ParseKubernetes(text string) (string, error) {
	if semver.Canonical(text) != text || semver.Prerelease(text) != "" || semver.Major(text) != "v1" ||
		semver.Compare(text, oldestKubernetes) < 0 {
		return "", fmt.Errorf("%q is not a version of Kubernetes from %s on, such as v1.36.3", text, oldestKubernetes)
	}
	return text, nil
}

// Kubernetes returns the programs of a version of Kubernetes. All have the same version: kube-apiserver must
// not be older than the others.
func Kubernetes(version string) []Program {
	programs := []Program{KubeAPIServer, KubeControllerManager, KubeScheduler}
	for i := range programs {
		programs[i].requested = version
	}
	return programs
}

// kubernetesFlags are the flags with which the go command builds another version of Kubernetes than the pinned
// one, in the folder of its module. They choose a go.mod that works there. Providerless leaves the clouds of
// versions before 1.31 out: their module is not for use outside of Kubernetes, and a lab has no cloud.
func kubernetesFlags(folder, version string) ([]string, error) {
	cache, err := CacheFolder()
	if err != nil {
		return nil, err
	}
	goMod := filepath.Join(cache, "modules", "kubernetes-"+version, "go.mod")
	return []string{"-mod=mod", "-modfile=" + goMod, "-tags=providerless"}, writeUnstaged(folder, goMod, version)
}

// writeUnstaged writes the go.mod and the go.sum of Kubernetes for a build in the folder of its module, unless
// they are there. The go command adds to them.
func writeUnstaged(folder, to, version string) error {
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	goMod, goSum, err := moduleFiles(folder)
	if err != nil {
		return err
	}
	if goMod, err = unstaged(goMod, version); err != nil {
		return err
	}
	unfinished := to + ".unfinished"
	return errors.Join(
		os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(filepath.Join(filepath.Dir(to), "go.sum"), goSum, 0o644),
		os.WriteFile(unfinished, goMod, 0o644), os.Rename(unfinished, to), // the go.mod is the last
	)
}

// unstaged changes a go.mod of Kubernetes so that it works without the repository. It replaces modules by folders
// of the repository, ./staging/src/k8s.io/…, which are not in Kubernetes' module. They are published as modules
// of their own, with version v0.X.Y for Kubernetes v1.X.Y.
func unstaged(goMod []byte, version string) ([]byte, error) {
	parsed, err := modfile.Parse("go.mod", goMod, nil)
	if err != nil {
		return nil, err
	}
	published := "v0" + strings.TrimPrefix(version, "v1")
	for _, replace := range parsed.Replace {
		if !strings.HasPrefix(replace.New.Path, "./") {
			continue
		}
		module := path.Join("k8s.io", path.Base(replace.New.Path))
		if err := parsed.AddReplace(replace.Old.Path, replace.Old.Version, module, published); err != nil {
			return nil, err
		}
	}
	return parsed.Format()
}

// terraform is a module that needs others of the same repository.
const terraform = "github.com/hashicorp/terraform"

// Terraform is for tests of what older versions do not have, such as `terraform query`. Its licence, the Business
// Source License, allows to build and run it for that. The lab gives it to nobody.
var Terraform = Program{
	Name: "terraform", pkg: terraform, source: terraform, variables: []string{terraform + "/version.dev=no"},
	requested: "v1.14.9", change: withoutClouds{},
}

// withoutClouds lets Terraform be built without the backends that store states in clouds. They are modules of their
// own, and are not published. The local backend and those of HTTP and HCP Terraform stay.
type withoutClouds struct{}

// backends is the file that lists the backends.
const backends = "internal/backend/init/init.go"

// files implements [change].
func (withoutClouds) files(module string) (map[string][]byte, error) {
	goMod, list := filepath.Join(module, "go.mod"), filepath.Join(module, filepath.FromSlash(backends))
	required, err := os.ReadFile(goMod)
	if err != nil {
		return nil, err
	}
	listed, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	required, unpublished, err := withoutUnpublished(required)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{goMod: required, list: withoutPackages(listed, unpublished)}, nil
}

// key implements [change].
func (withoutClouds) key() [][]byte { return [][]byte{[]byte(backends)} }

// withoutUnpublished removes the modules from a go.mod that it replaces by folders of the repository. The published
// module does not have these folders. It removes the tools of its developers, too, which use some of them.
func withoutUnpublished(goMod []byte) (changed []byte, unpublished []string, err error) {
	parsed, err := modfile.Parse("go.mod", goMod, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, replace := range slices.Clone(parsed.Replace) {
		if !modfile.IsDirectoryPath(replace.New.Path) {
			continue
		}
		unpublished = append(unpublished, replace.Old.Path)
		if err := parsed.DropRequire(replace.Old.Path); err != nil {
			return nil, nil, err
		}
		if err := parsed.DropReplace(replace.Old.Path, replace.Old.Version); err != nil {
			return nil, nil, err
		}
	}
	for _, tool := range slices.Clone(parsed.Tool) {
		if err := parsed.DropTool(tool.Path); err != nil {
			return nil, nil, err
		}
	}
	parsed.Cleanup()
	changed, err = parsed.Format()
	return changed, unpublished, err
}

// withoutPackages removes imports from a file in Go, and the lines that use them. Each of these imports has a name.
func withoutPackages(source []byte, packages []string) []byte {
	lines := strings.SplitAfter(string(source), "\n")
	for _, pkg := range packages {
		i := slices.IndexFunc(lines, func(line string) bool {
			return strings.HasSuffix(strings.TrimSpace(line), " "+strconv.Quote(pkg))
		})
		if i < 0 {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimSpace(lines[i]), " ")
		lines = slices.DeleteFunc(slices.Delete(lines, i, i+1), func(line string) bool {
			return strings.Contains(line, " "+name+".")
		})
	}
	return []byte(strings.Join(lines, ""))
}
