package access

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kubeconfig says where a kubeconfig is. The zero value is an empty one.
type Kubeconfig struct {
	Paths    []string // files; the first file that sets a value wins; a leading ~ is the home directory
	Content  string   // a whole kubeconfig; overrides Paths
	Optional bool     // ignore missing files, as kubectl does with $KUBECONFIG

	Description string // what error messages call it, if it is neither a file nor from the provider block

	last *loadedKubeconfig // what copies of it have loaded last; nil if it is loaded only once
}

// loadedKubeconfig keeps a kubeconfig for many leaves. One with a hundred contexts takes 15 ms to parse.
type loadedKubeconfig struct {
	mu     sync.Mutex
	config *clientcmdapi.Config
	files  []os.FileInfo // as they were then
}

// String hides the content, as [Credentials.String] does.
func (Kubeconfig) String() string { return "kubeconfig (hidden)" }

// GoString does the same for the %#v verb.
func (k Kubeconfig) GoString() string { return k.String() }

// IsZero reports whether there are neither files nor content.
func (k Kubeconfig) IsZero() bool { return len(k.Paths) == 0 && k.Content == "" }

// KubeconfigFromEnvironment returns the kubeconfig of the environment: KUBE_CONFIG_PATH, KUBE_CONFIG_PATHS, KUBECONFIG,
// or ~/.kube/config, in this order. The second and third are lists with the system's path separator. getenv is
// os.Getenv.
func KubeconfigFromEnvironment(getenv func(string) string) Kubeconfig {
	if path := getenv("KUBE_CONFIG_PATH"); path != "" {
		return Kubeconfig{Paths: []string{path}}
	}
	if paths := getenv("KUBE_CONFIG_PATHS"); paths != "" {
		return Kubeconfig{Paths: filepath.SplitList(paths)}
	}
	if paths := getenv(clientcmd.RecommendedConfigPathEnvVar); paths != "" {
		return Kubeconfig{Paths: filepath.SplitList(paths), Optional: true}
	}
	return Kubeconfig{Paths: []string{clientcmd.RecommendedHomeFile}, Optional: true}
}

// Shared returns the kubeconfig such that its copies load it only once, unless its files change. A resource of the same
// apply may write them.
func (k Kubeconfig) Shared() Kubeconfig {
	k.last = &loadedKubeconfig{}
	return k
}

// load returns what parse returns. The caller may change it, as client-go does with credential plugins.
func (k Kubeconfig) load() (*clientcmdapi.Config, error) {
	config, err := k.View()
	if err != nil {
		return nil, err
	}
	return config.DeepCopy(), nil
}

// View is load for callers that change nothing.
func (k Kubeconfig) View() (*clientcmdapi.Config, error) {
	if k.last == nil {
		return k.parse()
	}
	k.last.mu.Lock()
	defer k.last.mu.Unlock()
	files := k.files()
	if k.last.config != nil && slices.EqualFunc(files, k.last.files, isSameFile) {
		return k.last.config, nil
	}
	config, err := k.parse()
	if err != nil {
		return nil, err
	}
	k.last.config, k.last.files = config, files
	return config, nil
}

// files returns what the system knows of each file. It is nil for a file that does not exist.
func (k Kubeconfig) files() []os.FileInfo {
	files := make([]os.FileInfo, len(k.Paths))
	for i, path := range k.Paths {
		if path, err := expandHome(path); err == nil {
			files[i], _ = os.Stat(path) // parse has the error
		}
	}
	return files
}

// isSameFile reports whether a file has not been written since.
func isSameFile(now, then os.FileInfo) bool {
	if now == nil || then == nil {
		return now == nil && then == nil
	}
	return os.SameFile(now, then) && now.Size() == then.Size() && now.ModTime().Equal(then.ModTime())
}

// parse reads and merges the files. An error names the file that can't be read or parsed.
func (k Kubeconfig) parse() (*clientcmdapi.Config, error) {
	if k.Content != "" {
		config, err := clientcmd.Load([]byte(k.Content))
		if err != nil {
			return nil, errors.New(k.Describe() + " can't be parsed")
		}
		return config, nil
	}
	rules := &clientcmd.ClientConfigLoadingRules{}
	for _, path := range k.Paths {
		path, err := expandHome(path)
		if err != nil {
			return nil, err
		}
		if err := readable(path); err != nil {
			if k.Optional && errors.Is(err, os.ErrNotExist) {
				continue
			}
			return nil, fmt.Errorf("kubeconfig %s can't be read: %w", path, err)
		}
		rules.Precedence = append(rules.Precedence, path)
	}
	config, err := rules.Load()
	if err != nil {
		return nil, fmt.Errorf("kubeconfig can't be parsed: %w", err)
	}
	return config, nil
}

// Describe returns the kubeconfig's name for an error message.
func (k Kubeconfig) Describe() string {
	switch {
	case k.Description != "":
		return k.Description
	case k.Content != "":
		return "the kubeconfig in `config_content`"
	case len(k.Paths) == 0:
		return "the configuration of this cluster"
	default:
		return "kubeconfig " + strings.Join(k.Paths, ", ")
	}
}

// Contexts returns the names of the kubeconfig's contexts, sorted. It returns none if the kubeconfig can't be read.
func (k Kubeconfig) Contexts() []string {
	config, err := k.View()
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(config.Contexts))
}

func readable(path string) error {
	file, err := os.Open(path) //nolint:gosec // the user names the file
	if err != nil {
		return errors.Unwrap(err) // the caller names the path
	}
	return file.Close()
}

func expandHome(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || (rest != "" && !os.IsPathSeparator(rest[0])) {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("%s: the home directory is unknown: %w", path, err)
	}
	return filepath.Join(home, rest), nil
}
