package acctest

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	networkingv1beta1 "github.com/liqotech/liqo/apis/networking/v1beta1"
	"github.com/liqotech/liqo/pkg/consts"
	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Must ends a test at an error, with which it can't go on.
func Must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// Finally does something when a test ends. It fails the test at an error.
func Finally(t *testing.T, do func() error) {
	t.Helper()
	t.Cleanup(func() {
		if err := do(); err != nil {
			t.Error(err)
		}
	})
}

// What Terraform says after it has applied changes of one resource.
const (
	Created  = "1 added, 0 changed, 0 destroyed"
	InPlace  = "0 added, 1 changed, 0 destroyed"
	Replaced = "1 added, 0 changed, 1 destroyed"
	Nothing  = "0 added, 0 changed, 0 destroyed"
)

// Ample is the timeout of an operation that cannot end. It is enough for everything that can be done, on any machine,
// while other tests run.
const Ample = "30s"

// Says fails the test unless the output of Terraform has all of these sentences.
func Says(t *testing.T, output string, sentences ...string) {
	t.Helper()
	for _, sentence := range sentences {
		if !strings.Contains(Unbroken(output), sentence) {
			t.Errorf("%q is missing in:\n%s", sentence, output)
		}
	}
}

// DoesNotSay fails the test if the output of Terraform has this sentence.
func DoesNotSay(t *testing.T, output, sentence string) {
	t.Helper()
	if strings.Contains(Unbroken(output), sentence) {
		t.Errorf("unexpected %q in:\n%s", sentence, output)
	}
}

// Unbroken returns a text without Terraform's line breaks and frames.
func Unbroken(output string) string {
	return strings.Join(strings.FieldsFunc(output, func(r rune) bool { return strings.ContainsRune(" \n│╷╵", r) }), " ")
}

// Explains fails the test unless the output of Terraform has an error with this headline, and then these paragraphs,
// with no other text between two of them. "…" stands for text that differs between runs.
func Explains(t *testing.T, output, headline string, paragraphs ...string) {
	t.Helper()
	pattern := func(text string) string {
		return strings.ReplaceAll(regexp.QuoteMeta(Unbroken(text)), "…", ".*?")
	}
	expected := pattern("Error: "+headline) + " .*?" + pattern(strings.Join(paragraphs, " "))
	if !regexp.MustCompile(expected).MatchString(Unbroken(output)) {
		t.Errorf("%s\nis missing in:\n%s", expected, output)
	}
}

// HelpAt is the end of a message: the address of the entry in the troubleshooting guide.
func HelpAt(id string) string {
	return "…Help: https://github.com/leafmesh/terraform-provider-liqo/blob/main/docs/guides/troubleshooting.md#" + id
}

// AsLiqoSays fails the test unless the networks of a shortcut in the state have the values of Liqo's own
// Configurations. Each is on the other leaf.
func (l *Lab) AsLiqoSays(p *Project, address, clientName, serverName string) {
	p.T.Helper()
	p.Is(address, map[string]any{
		"client_network": l.configuredAt(p.T, serverName, clientName),
		"server_network": l.configuredAt(p.T, clientName, serverName),
	})
}

// configuredAt returns the expected network of a cluster, which is in another cluster's Configuration of it.
func (l *Lab) configuredAt(t *testing.T, at, of string) map[string]any {
	t.Helper()
	configuration := Only[*networkingv1beta1.Configuration](t, l, at, &networkingv1beta1.ConfigurationList{},
		client.MatchingLabels{consts.RemoteClusterID: l.Cluster(t, of).ClusterID})
	if configuration.Status.Remote == nil {
		t.Fatalf("Liqo on %s has not processed the Configuration of %s", at, of)
	}
	own, remapped := configuration.Spec.Remote.CIDR, configuration.Status.Remote.CIDR
	return map[string]any{
		"pod_cidrs": own.Pod[:1], "external_cidr": own.External[0],
		"remapped_pod_cidrs": remapped.Pod[:1], "remapped_external_cidr": remapped.External[0],
	}
}

// Shows returns what a cluster's objects of a kind have at a path, as `kubectl get -o jsonpath` prints it.
func (l *Lab) Shows(
	t *testing.T, cluster string, kind client.ObjectList, path string, which ...client.ListOption,
) string {
	t.Helper()
	var text strings.Builder
	template := jsonpath.New(path).AllowMissingKeys(true)
	Must(t, l.Client(t, cluster).List(t.Context(), kind, which...))
	Must(t, template.Parse("{.items[*]"+path+"}"))
	Must(t, template.Execute(&text, kind))
	return text.String()
}

// Has fails the test unless a cluster's objects of a kind have this at a path of [Lab.Shows].
func (l *Lab) Has(t *testing.T, cluster string, kind client.ObjectList, path, expected string) {
	t.Helper()
	if got := l.Shows(t, cluster, kind, path); got != expected {
		t.Errorf("%s of each %T on %s is %q, expected %q", path, kind, cluster, got, expected)
	}
}

// GatewaysHaveMTU fails the test unless the gateways of Rome and Milan themselves have this MTU.
func (l *Lab) GatewaysHaveMTU(t *testing.T, mtu int) {
	t.Helper()
	for _, cluster := range []string{"rome", "milan"} {
		got := l.Shows(t, cluster, &networkingv1beta1.GatewayClientList{}, ".spec.mtu") +
			l.Shows(t, cluster, &networkingv1beta1.GatewayServerList{}, ".spec.mtu")
		if got != fmt.Sprint(mtu) {
			t.Errorf("the gateway of %s has the MTU %s, not %d", cluster, got, mtu)
		}
	}
}
