package binaries

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/modfile"
)

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

// moduleFiles returns the go.mod and the go.sum in a folder.
func moduleFiles(folder string) (goMod, goSum []byte, err error) {
	if goMod, err = os.ReadFile(filepath.Join(folder, "go.mod")); err != nil {
		return nil, nil, err
	}
	goSum, err = os.ReadFile(filepath.Join(folder, "go.sum"))
	return goMod, goSum, err
}

// pinned returns the folder of a go.mod beside this file's source, and the version of a module that it requires.
func pinned(module, source string) (folder, version string, err error) {
	if folder, err = moduleFolder(module); err != nil {
		return "", "", err
	}
	goMod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return "", "", err
	}
	parsed, err := modfile.ParseLax("go.mod", goMod, nil)
	if err != nil {
		return "", "", err
	}
	for _, require := range parsed.Require {
		if require.Mod.Path == source {
			return folder, require.Mod.Version, nil
		}
	}
	return "", "", fmt.Errorf("go.mod does not require %s", source)
}

// DefaultKubernetes is the version of Kubernetes in clusters for which no other is requested, with a
// leading v.
func DefaultKubernetes() (string, error) {
	_, version, err := pinned("cluster", kubernetes)
	return version, err
}

// DefaultLiqo is the release of Liqo in clusters for which no other is requested.
func DefaultLiqo() (LiqoRelease, error) {
	_, version, err := pinned("cluster", liqoModule)
	return LiqoRelease{Version: LiqoVersion(version)}, err
}

// LiqoSource returns the folder of a release's sources, with Liqo's Helm chart and CRDs. It downloads the module of a
// published version if necessary.
func LiqoSource(ctx context.Context, release LiqoRelease) (string, error) {
	return sourceFolder(ctx, liqoModule, string(release.Version), release.Folder)
}

// sourceFolder returns the folder of a module of a version: the one that the user has given or, if that is empty, the
// downloaded one.
func sourceFolder(ctx context.Context, source, version, given string) (string, error) {
	if given != "" {
		return given, nil
	}
	folder, err := moduleFolder("cluster")
	if err != nil {
		return "", err
	}
	out, failure := goCommand(ctx, folder, "mod", "download", "-json", source+"@"+version)
	var module struct{ Dir, Error string }
	if err := json.Unmarshal([]byte(out), &module); err != nil {
		return "", errors.Join(failure, err)
	}
	if module.Error != "" {
		return "", errors.New(module.Error)
	}
	return module.Dir, failure
}

// goCommand runs the go command in a folder and returns its output, also of a command that fails.
func goCommand(ctx context.Context, folder string, args ...string) (string, error) {
	return output(ctx, folder, "go", args...)
}

// output runs a command in a folder and returns its output, also of a command that fails.
func output(ctx context.Context, folder, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, &stderr)
	}
	return strings.TrimSpace(string(out)), err
}
