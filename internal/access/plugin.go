package access

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/pkg/apis/clientauthentication"
	"k8s.io/client-go/pkg/apis/clientauthentication/install"
	clientauthenticationv1 "k8s.io/client-go/pkg/apis/clientauthentication/v1"
	clientauthenticationv1beta1 "k8s.io/client-go/pkg/apis/clientauthentication/v1beta1"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/leafmesh/terraform-provider-liqo/internal/trouble"
)

// Plugin is the credential plugin of a leaf, a program that prints an ExecCredential, and what it has printed. It takes
// the place of client-go's own, which can't be asked what the program says on its standard error, and leaves the
// program behind when the process ends.
type Plugin struct {
	lifetime context.Context // ends the program
	command  clientcmdapi.ExecConfig
	version  schema.GroupVersion
	leaf     *clientauthentication.Cluster // what the program is told of the leaf; nil for nothing

	// Renewed is called when another certificate replaces one.
	Renewed func()

	says atomic.Pointer[tail] // the standard error while the program runs; nil otherwise

	running sync.Mutex // held while the program runs
	given   *pluginCredentials
	failure *PluginError // of the last run; nil if it has succeeded
	ended   time.Time    // the last run has
}

// pluginCredentials are what a credential plugin has printed.
type pluginCredentials struct {
	token       string
	certificate *tls.Certificate // nil for none
	expiry      time.Time        // zero for never
}

// PluginError means that a credential plugin gave no credentials.
type PluginError struct {
	Err  error
	Said string // the last lines of its standard error
}

// Error returns what is wrong and what the program has said, but nothing of its standard output, which may be secret.
func (e *PluginError) Error() string {
	if e.Said == "" {
		return e.Err.Error()
	}
	return e.Err.Error() + ". It says:\n" + e.Said
}

// RefusalKept is how long credentials that are refused are not tried again. A credential plugin that has failed does
// not run again for so long, either. Otherwise, each resource would try them.
const RefusalKept = 5 * time.Second

// TakePlugin takes the credential plugin out of a configuration, if it has one. The program ends with ctx.
func TakePlugin(ctx context.Context, config *rest.Config) (*Plugin, error) {
	command := config.ExecProvider
	if command == nil {
		return nil, nil //nolint:nilnil // there is none
	}
	version, err := schema.ParseGroupVersion(command.APIVersion)
	if err != nil || !pluginScheme.IsVersionRegistered(version) {
		return nil, fmt.Errorf("the credential plugin has the unknown `api_version` %q: it must be %q or %q, which newer "+
			"versions of the program print", command.APIVersion, clientauthenticationv1.SchemeGroupVersion,
			clientauthenticationv1beta1.SchemeGroupVersion)
	}
	if command.InteractiveMode == clientcmdapi.AlwaysExecInteractiveMode {
		return nil, errors.New("the credential plugin wants a terminal (interactiveMode: Always), and Terraform has none " +
			"for it")
	}
	taken := &Plugin{lifetime: ctx, command: *command, version: version, Renewed: func() {}}
	if command.ProvideClusterInfo {
		if taken.leaf, err = rest.ConfigToExecCluster(config); err != nil {
			return nil, err
		}
	}
	config.ExecProvider = nil
	if config.BearerToken != "" || config.BearerTokenFile != "" || config.Username != "" ||
		config.CertData != nil || config.CertFile != "" {
		return nil, nil //nolint:nilnil // these come first, as with client-go
	}
	return taken, nil
}

var (
	pluginScheme = func() *runtime.Scheme {
		scheme := runtime.NewScheme()
		install.Install(scheme)
		return scheme
	}()
	pluginCodecs = serializer.NewCodecFactory(pluginScheme)
)

// Waits returns what the program has said, if it runs.
func (p *Plugin) Waits() (said string, waits bool) {
	if p == nil {
		return "", false
	}
	output := p.says.Load()
	return output.String(), output != nil
}

// Silent returns the error of a program that runs, and has only said this.
func (p *Plugin) Silent(said string) *PluginError {
	return &PluginError{fmt.Errorf("%s has printed no credentials yet", p.command.Command), said}
}

// End returns when the program has ended. Its lifetime is over.
func (p *Plugin) End() {
	if p != nil {
		p.running.Lock()
		defer p.running.Unlock()
	}
}

// Authorize returns a transport that adds the credentials to each request.
func (p *Plugin) Authorize(transport http.RoundTripper) http.RoundTripper {
	return RoundTrip(func(request *http.Request) (*http.Response, error) {
		given, err := p.credentials()
		if err != nil {
			return nil, err
		}
		if given.token != "" {
			request = request.Clone(request.Context())
			request.Header.Set("Authorization", "Bearer "+given.token)
		}
		response, err := transport.RoundTrip(request)
		if err == nil && response.StatusCode == http.StatusUnauthorized {
			p.forget(given)
		}
		return response, err
	})
}

// Certificate returns the client certificate of a new connection, or nil for none.
func (p *Plugin) Certificate() (*tls.Certificate, error) {
	given, err := p.credentials()
	if err != nil {
		return nil, err
	}
	return given.certificate, nil
}

// forget lets the program run again for the next request, because the leaf refuses what it has printed.
func (p *Plugin) forget(refused *pluginCredentials) {
	p.running.Lock()
	defer p.running.Unlock()
	if p.given == refused {
		refused.expiry = time.Unix(0, 0)
	}
}

// credentials returns valid credentials. It runs the program if there are none. The error is a [PluginError], which is
// kept for a while: each of the first requests to a leaf asks.
func (p *Plugin) credentials() (*pluginCredentials, error) {
	p.running.Lock()
	defer p.running.Unlock()
	if p.given != nil && (p.given.expiry.IsZero() || time.Now().Before(p.given.expiry)) {
		return p.given, nil
	}
	if p.failure != nil && time.Since(p.ended) < RefusalKept {
		return nil, p.failure
	}
	said := &tail{}
	p.says.Store(said)
	defer p.says.Store(nil)
	given, err := p.run(said)
	p.ended, p.failure = time.Now(), nil
	if err != nil {
		p.failure = &PluginError{err, said.String()}
		return nil, p.failure
	}
	if p.given != nil && p.given.certificate != nil {
		defer p.Renewed()
	}
	p.given = given
	return given, nil
}

// run runs the program and returns what it has printed. When its time is over, the programs that it has started end,
// too: many plugins are scripts.
func (p *Plugin) run(said *tail) (*pluginCredentials, error) {
	asked := &clientauthentication.ExecCredential{Spec: clientauthentication.ExecCredentialSpec{Cluster: p.leaf}}
	info, err := runtime.Encode(pluginCodecs.LegacyCodec(p.version), asked)
	if err != nil {
		return nil, err
	}
	var printed bytes.Buffer
	program := exec.CommandContext(p.lifetime, p.command.Command, p.command.Args...) //nolint:gosec // it is the user's
	program.Env = append(os.Environ(), "KUBERNETES_EXEC_INFO="+string(info))
	for _, variable := range p.command.Env {
		program.Env = append(program.Env, variable.Name+"="+variable.Value)
	}
	program.Stdout, program.Stderr = &printed, said
	alone(program)
	program.Cancel = func() error { return tell(program, syscall.SIGTERM) }
	program.WaitDelay = time.Second // then it is killed
	err = program.Run()
	if p.lifetime.Err() != nil && program.Process != nil {
		_ = tell(program, syscall.SIGKILL) // what is left of them
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("%s has ended with %v", p.command.Command, exit.ProcessState)
	}
	if hint := p.command.InstallHint; errors.Is(err, exec.ErrNotFound) && hint != "" {
		return nil, fmt.Errorf("%w. The kubeconfig says:\n%s", err, hint)
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // the program has ended; what it has started keeps its output open
	}
	if err != nil {
		return nil, err
	}
	given, err := p.read(printed.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s %w", p.command.Command, err)
	}
	return given, nil
}

// read returns the credentials that the program has printed. The error has nothing of them.
func (p *Plugin) read(printed []byte) (*pluginCredentials, error) {
	var credential clientauthentication.ExecCredential
	_, kind, err := pluginCodecs.UniversalDecoder(p.version).Decode(printed, nil, &credential)
	status := credential.Status
	switch {
	case err != nil:
		return nil, fmt.Errorf("has printed no ExecCredential of %s", p.version)
	case kind.GroupVersion() != p.version:
		return nil, fmt.Errorf("has printed an ExecCredential of %s, but `api_version` is %s", kind.GroupVersion(), p.version)
	case status == nil || status.Token == "" && status.ClientCertificateData == "" && status.ClientKeyData == "":
		return nil, errors.New("has printed an ExecCredential without a token or a certificate")
	}
	given := &pluginCredentials{}
	if given.token, err = usableToken(status.Token); err != nil {
		return nil, fmt.Errorf("has printed credentials that can't be used: %w", err)
	}
	if status.ClientCertificateData != "" || status.ClientKeyData != "" {
		pair, err := tls.X509KeyPair([]byte(status.ClientCertificateData), []byte(status.ClientKeyData))
		if err != nil {
			return nil, errors.New("has printed a client certificate and a key that are no pair")
		}
		given.certificate = &pair
	}
	if status.ExpirationTimestamp != nil {
		given.expiry = status.ExpirationTimestamp.Time
	}
	return given, nil
}

// tail keeps the end of what is written to it. It is safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements [io.Writer].
func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-trouble.LongestShown/2):]
	return len(text), nil
}

// String returns the last lines.
func (t *tail) String() string {
	if t == nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return strings.Join(lines[max(0, len(lines)-trouble.MostLines+1):], "\n")
}

// RoundTrip is a transport that is a function.
type RoundTrip func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (r RoundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }
