package binaries

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

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
