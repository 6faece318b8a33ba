package inspect

import "testing"

func TestWhatIsNotPrintedIsAVisibleEscape(t *testing.T) {
	const text = "a\x1b[2K\r\u202eb\u0007\n\t世界"
	if got, want := Line(text), `a\x1b[2K\r\u202eb\a\n\t世界`; got != want {
		t.Errorf("a line is %q, not %q", got, want)
	}
	if got, want := Lines(text), `a\x1b[2K\r\u202eb\a`+"\n\t世界"; got != want {
		t.Errorf("lines are %q, not %q", got, want)
	}
}
