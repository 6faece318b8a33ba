package progress

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestWithoutATerminalAStatusIsPrintedOnlyNowAndThen(t *testing.T) {
	var out strings.Builder
	r := New(&out)
	r.Say("building")
	r.Status("1 of 3")
	r.last = time.Now().Add(-plainInterval)
	r.Status("2 of 3")
	r.Status("3 of 3")
	if got, want := out.String(), "building\n2 of 3\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOnATerminalAStatusIsReplacedByTheNextLine(t *testing.T) {
	var out strings.Builder
	r := New(&out)
	r.terminal = true
	r.Status("1 of 3")
	r.Status("2 of 3")
	r.Say("built")
	if got, want := out.String(), "1 of 3\r\033[K2 of 3\r\033[Kbuilt\n2 of 3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestALineIsPrintedAboveTheStatusOnceItHasEnded(t *testing.T) {
	var out strings.Builder
	r := New(&out)
	r.terminal = true
	r.Status("2s")
	fmt.Fprint(r, "one\ntw")
	fmt.Fprint(r, "o\n")
	if got, want := out.String(), "2s\r\033[Kone\n2s\r\033[Ktwo\n2s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWhatIsBeingDoneIsShownWithTheTimeItTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		r := New(&out)
		r.terminal = true
		done := r.During("apply")
		time.Sleep(2500 * time.Millisecond) // on the clock of synctest, which takes no time
		done()
		if got, want := out.String(), "0s  apply\r\033[K1s  apply\r\033[K2s  apply\r\033[K"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestAStatusTakesOneLineOfTheTerminal(t *testing.T) {
	if got := fit("12s  Zürich", 9); got != "12s  Zür" {
		t.Errorf("it is %q", got)
	}
}

func TestWithoutATerminalNothingIsShownMeanwhile(t *testing.T) {
	var out strings.Builder
	New(&out).During("apply")()
	if out.Len() > 0 {
		t.Errorf("there is %q", out.String())
	}
}
