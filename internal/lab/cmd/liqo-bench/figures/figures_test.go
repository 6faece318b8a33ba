package figures

import (
	"bytes"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files")

// example is a report with one figure of each sort.
func example() *Report {
	theirs := NewSample(3.2, 3.4, 3.1)
	return &Report{
		Date:     time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC),
		Machine:  "2 cores of Example 3000, 24 GiB, linux/amd64",
		Versions: []string{"the provider v0.1.0", "Terraform v1.11.4"},
		Command:  "make bench",
		Figures: []Figure{
			{
				Name: "One shortcut, create to Connected", Unit: Second,
				How:  "From the first message to the last.",
				Ours: NewSample(1.02, 0.98, 0.9512), Against: "liqoctl", Theirs: &theirs, Goal: 0.3,
				ForUsers: true,
			},
			{
				Name: "Memory at its peak", How: "As the kernel tells.", Unit: Megabyte,
				Ours: NewSample(80.25), Goal: 120, ForUsers: true,
			},
			{
				Name: "Requests for one refresh", How: "From the audit log.", Unit: Count,
				Ours: NewSample(11, 11, 12), Goal: 12, Same: true,
			},
		},
		Fleets: growing,
	}
}

func TestTheReportIsWrittenAsATableAndAsPages(t *testing.T) {
	report := example()
	for name, write := range map[string]func(io.Writer) error{
		"table.txt": report.WriteTable, "details.md": report.WriteDetails, "page.md": report.WritePage,
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := write(&got); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("got\n%s\nwant %s (go test -update writes it):\n%s", got.String(), golden, want)
			}
		})
	}
}

func TestTheMedianOfASampleIsItsMiddle(t *testing.T) {
	for _, test := range []struct {
		values           []float64
		median, min, max float64
	}{
		{[]float64{3}, 3, 3, 3},
		{[]float64{3, 1, 2}, 2, 1, 3},
		{[]float64{4, 1, 2, 3}, 2.5, 1, 4},
	} {
		got := NewSample(test.values...)
		if got.Median != test.median || got.Min != test.min || got.Max != test.max || !slices.Equal(got.Values, test.values) {
			t.Errorf("%v: %+v", test.values, got)
		}
	}
}

func TestAGoalIsForTheRatioOrForTheLargestValue(t *testing.T) {
	theirs := NewSample(2)
	for name, test := range map[string]struct {
		figure Figure
		met    bool
	}{
		"the ratio is at the goal":             {Figure{Ours: NewSample(1), Theirs: &theirs, Goal: 0.5}, true},
		"the ratio is above the goal":          {Figure{Ours: NewSample(1.1), Theirs: &theirs, Goal: 0.5}, false},
		"the largest value is at the goal":     {Figure{Ours: NewSample(1, 12), Goal: 12}, true},
		"the largest value is above the goal":  {Figure{Ours: NewSample(1, 13), Goal: 12}, false},
		"the values are the same":              {Figure{Ours: NewSample(11, 11), Goal: 12, Same: true}, true},
		"the values are not the same":          {Figure{Ours: NewSample(11, 12), Goal: 12, Same: true}, false},
		"the same values are above their goal": {Figure{Ours: NewSample(13, 13), Goal: 12, Same: true}, false},
	} {
		if test.figure.Met() != test.met {
			t.Errorf("%s, and Met is %v", name, test.figure.Met())
		}
	}
}

func TestANumberHasAboutThreeDigits(t *testing.T) {
	for value, want := range map[float64]string{
		0.12345: "0.123",
		1.2345:  "1.23",
		12.345:  "12.3",
		123.45:  "123",
		45:      "45",
		0:       "0",
	} {
		if got := number(value); got != want {
			t.Errorf("%v is written %q, and not %q", value, got, want)
		}
	}
}

func TestASlopeIsTheNumberOfRoundTrips(t *testing.T) {
	took := map[time.Duration][]time.Duration{
		0:                      {9 * time.Second, time.Second, time.Second}, // one outlier
		20 * time.Millisecond:  {1200 * time.Millisecond},
		100 * time.Millisecond: {2 * time.Second},
	}
	if got := Slope(took); math.Abs(got-5) > 1e-9 {
		t.Errorf("the slope is %v, and not 5", got)
	}
}

func TestAnAbsoluteGoalIsForOurValueAndTheRatioIsShownBesideIt(t *testing.T) {
	theirs := NewSample(40)
	figure := Figure{Name: "it", Unit: RoundTrip, Ours: NewSample(10), Against: "liqoctl", Theirs: &theirs, Goal: 9,
		Absolute: true}
	want := []string{"it", "10 round trips", "liqoctl 40 round trips", "0.250", "≤ 9 round trips", "missed"}
	if got := figure.row(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
