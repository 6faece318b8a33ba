package binaries

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/mod/semver"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab/progress"
)

// buildFlags are the flags of every build. All programs share packages that are compiled with them
// in Go's build cache.
var buildFlags = []string{"-trimpath", "-buildvcs=false"}

// stopGrace is the time from an interrupt until the go command is killed.
const stopGrace = 5 * time.Second

// CacheFolder is where programs are kept: terraform-provider-liqo in the user's cache folder.
func CacheFolder() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(base, "terraform-provider-liqo"), nil
}

// Build returns the file of each program by its name. It builds programs that are not in the cache,
// and reports its progress. If two processes build at the same time, the second waits and takes the
// result of the first.
func Build(ctx context.Context, report *progress.Reporter, programs ...Program) (map[string]string, error) {
	builds := make([]*build, len(programs))
	var missing []string
	for i, program := range programs {
		b, err := newBuild(ctx, program)
		if err != nil {
			return nil, fmt.Errorf("building %s: %w", program.Name, err)
		}
		b.label = fmt.Sprintf("[%d/%d] %s %s", i+1, len(programs), program.Name, b.version)
		b.report = report
		if _, err := os.Stat(b.file); err != nil {
			missing = append(missing, program.Name)
		}
		builds[i] = b
	}
	if len(missing) > 0 {
		report.Say("Building from source, once: %s. On two cores, all programs of a lab take about eight minutes.",
			strings.Join(missing, ", "))
	}
	files := make(map[string]string, len(programs))
	for _, b := range builds {
		var err error
		if files[b.Name], err = b.cached(ctx); err != nil {
			return nil, fmt.Errorf("building %s: %w", b.Name, err)
		}
	}
	return files, nil
}

// build is the build of one program.
type build struct {
	Program
	report *progress.Reporter
	label  string

	folder      string   // of the go.mod
	version     string   // of the program, with a leading v
	moduleFlags []string // of the go command, if the folder's own go.mod does not do
	flags       []string
	file        string // where the cache has it
}

func newBuild(ctx context.Context, program Program) (*build, error) {
	b := &build{Program: program}
	if err := b.locate(ctx); err != nil {
		return nil, err
	}
	goMod, goSum, err := moduleFiles(b.folder)
	if err != nil {
		return nil, err
	}
	b.flags = slices.Concat(buildFlags, []string{"-ldflags=" + linkerFlags(program.variables, b.version)})

	toolchain, err := goCommand(ctx, b.folder, "env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	cache, err := CacheFolder()
	if err != nil {
		return nil, err
	}
	platform, flags := runtime.GOOS+"/"+runtime.GOARCH, strings.Join(slices.Concat(b.moduleFlags, b.flags), " ")
	parts := [][]byte{goMod, goSum, []byte(toolchain), []byte(platform), []byte(program.pkg), []byte(flags)}
	if program.change != nil {
		parts = append(parts, program.change.key()...)
	}
	b.file = filepath.Join(cache, "bin", program.Name+"-"+b.version+"-"+cacheKey(parts...), program.Name)
	return b, nil
}

// locate finds the folder to build in, and the program's version. A version that the program's
// go.mod does not pin is built in the folder of its own sources.
func (b *build) locate(ctx context.Context) error {
	var err error
	if b.module == "" {
		b.version = b.requested
		b.folder, err = sourceFolder(ctx, b.source, b.version, b.sources)
		return err
	}
	if b.folder, b.version, err = pinned(b.module, b.source); err != nil {
		return err
	}
	if b.requested != "" && b.requested != b.version {
		b.version = b.requested
		if b.folder, err = sourceFolder(ctx, b.source, b.version, b.sources); err != nil {
			return err
		}
		if b.source == kubernetes {
			b.moduleFlags, err = kubernetesFlags(b.folder, b.version)
		}
	}
	return err
}

// cacheKey is a short hash of everything that a program's file depends on.
func cacheKey(parts ...[]byte) string {
	hash := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(hash, "%d:%s", len(part), part)
	}
	return fmt.Sprintf("%x", hash.Sum(nil))[:12]
}

// linkerFlags strips the program and sets its version, as the program's own release builds do.
func linkerFlags(variables []string, version string) string {
	major, minor, _ := strings.Cut(strings.TrimPrefix(semver.MajorMinor(version), "v"), ".")
	replace := strings.NewReplacer("VERSION", version, "MAJOR", major, "MINOR", minor)
	flags := []string{"-s", "-w"}
	for _, variable := range variables {
		flags = append(flags, "-X", replace.Replace(variable))
	}
	return strings.Join(flags, " ")
}

// cached returns the program's file. It builds the program if it is not in the cache.
func (b *build) cached(ctx context.Context) (string, error) {
	if _, err := os.Stat(b.file); err == nil {
		return b.file, nil
	}
	folder := filepath.Dir(b.file)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	unlock, err := b.lock(ctx, folder+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(b.file); err == nil { // another process built it while this one waited
		return b.file, nil
	}
	unfinished := b.file + ".unfinished"
	if err := b.run(ctx, unfinished); err != nil {
		return "", err
	}
	if b.sources != "" {
		if err := b.checkUnchanged(); err != nil {
			return "", err
		}
	}
	return b.file, os.Rename(unfinished, b.file)
}

// lock waits until no other process builds the program.
func (b *build) lock(ctx context.Context, name string) (unlock func(), err error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		return func() { file.Close() }, nil
	}
	b.report.Say("%s: another process builds it; waiting for that", b.label)
	locked := make(chan error, 1)
	go func() { locked <- syscall.Flock(int(file.Fd()), syscall.LOCK_EX) }()
	select {
	case err := <-locked:
		return func() { file.Close() }, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// run builds the program into a file.
func (b *build) run(ctx context.Context, file string) error {
	start := time.Now()
	b.report.Say("%s: building, once", b.label)
	remove, err := b.prepare(ctx)
	if err != nil {
		return err
	}
	defer remove()
	deps, err := goCommand(ctx, b.folder, slices.Concat([]string{"list"}, b.moduleFlags, []string{"-deps", b.pkg})...)
	if err != nil {
		return err
	}
	total := strings.Count(deps, "\n") + 1

	args := slices.Concat([]string{"build", "-v", "-o", file}, b.moduleFlags, b.flags, []string{b.pkg})
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = b.folder
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	// The go command's compilers are in its process group, so an interrupt ends them all.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = stopGrace
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	messages := b.follow(stderr, total, start)
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("%w\n%s", err, messages)
	}
	b.report.Say("%s: built in %s", b.label, time.Since(start).Round(time.Second))
	return nil
}

// follow reports each package that `go build -v` names, and returns the other output, which is
// errors.
func (b *build) follow(output io.Reader, total int, start time.Time) string {
	var messages strings.Builder
	compiled := 0
	for scanner := bufio.NewScanner(output); scanner.Scan(); {
		line := scanner.Text()
		if line == "" || strings.ContainsAny(line, " \t#") {
			messages.WriteString(line + "\n")
			continue
		}
		compiled++
		b.report.Status(
			"%s: %d of at most %d packages compiled, %s", b.label, compiled, total, time.Since(start).Round(time.Second),
		)
	}
	return messages.String()
}
