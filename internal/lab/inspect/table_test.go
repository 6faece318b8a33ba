package inspect

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func TestACellIsOneLineWhateverTheClusterSays(t *testing.T) {
	var printed strings.Builder
	err := printRows(&printed, "rome", &metav1.Table{
		ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "Name"}, {Name: "Reason", Priority: 1}},
		Rows: []metav1.TableRow{{
			Cells:  []any{"gw\x1b[2K\nmilan   fine", "hidden"},
			Object: runtime.RawExtension{Raw: []byte(`{"metadata":{"namespace":"default"}}`)},
		}},
	})
	if got, want := printed.String(), "rome\tdefault\t"+`gw\x1b[2K\nmilan   fine`+"\n"; got != want || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestWhatIsNotPrintedIsAVisibleEscape(t *testing.T) {
	const text = "a\x1b[2K\r\u202eb\u0007\n\t世界"
	if got, want := Line(text), `a\x1b[2K\r\u202eb\a\n\t世界`; got != want {
		t.Errorf("a line is %q, not %q", got, want)
	}
	if got, want := Lines(text), `a\x1b[2K\r\u202eb\a`+"\n\t世界"; got != want {
		t.Errorf("lines are %q, not %q", got, want)
	}
}
