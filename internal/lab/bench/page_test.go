package bench

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"
)

var update = flag.Bool("update", false, "write the page of figures from the results in figures.txt")

// results are what a benchmark printed, in Go's benchmark format.
type results struct {
	settings map[string]string // of the lines before the benchmarks, such as cpu
	measured []measurement
}

// measurement is one number of one benchmark.
type measurement struct {
	name  string // without Benchmark and the number of processors
	value float64
	unit  string
}

func parse(text string) results {
	r := results{settings: map[string]string{}}
	processors := regexp.MustCompile(`-\d+$`)
	for line := range strings.Lines(text) {
		name, isBenchmark := strings.CutPrefix(line, "Benchmark")
		if !isBenchmark {
			key, value, _ := strings.Cut(line, ":")
			r.settings[key] = strings.TrimSpace(value)
			continue
		}
		fields := strings.Fields(name) // the name, how often it ran, and values, each before its unit
		for i := 2; i+1 < len(fields); i += 2 {
			if value, err := strconv.ParseFloat(fields[i], 64); err == nil {
				r.measured = append(r.measured, measurement{processors.ReplaceAllString(fields[0], ""), value, fields[i+1]})
			}
		}
	}
	return r
}

// values returns the sorted values with a unit of all benchmarks with such a name. There is at least one.
func (r results) values(name, unit string) []float64 {
	named := regexp.MustCompile("^" + name + "$")
	var values []float64
	for _, m := range r.measured {
		if m.unit == unit && named.MatchString(m.name) {
			values = append(values, m.value)
		}
	}
	if len(values) == 0 {
		panic("no benchmark " + name + " has " + unit)
	}
	slices.Sort(values)
	return values
}

// Median returns the median of the values with a unit, with three digits. Its name is a regular expression.
func (r results) Median(name, unit string) string {
	values := r.values(name, unit)
	median := (values[(len(values)-1)/2] + values[len(values)/2]) / 2
	if unit == "ns/op" {
		median /= 1e9
	}
	return strconv.FormatFloat(median, 'g', 3, 64)
}

// Most returns the largest of such values.
func (r results) Most(name, unit string) string {
	return strconv.FormatFloat(slices.Max(r.values(name, unit)), 'g', 3, 64)
}

// Setting returns what a line before the benchmarks says, such as cpu.
func (r results) Setting(key string) string { return r.settings[key] }

func TestThePageShowsTheFiguresOfTheBenchmark(t *testing.T) {
	const page = "../../../templates/guides/figures.md"
	text, err := os.ReadFile("figures.txt")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := template.Must(template.ParseFiles("figures.md.tmpl")).Execute(&want, parse(string(text))); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(page, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is\n%s\nand not what figures.txt and figures.md.tmpl make of it (go test -update writes it):\n%s",
			page, got, want.Bytes())
	}
}

func TestAFigureIsTheMedianOrTheLargestOfItsRounds(t *testing.T) {
	r := parse("cpu: AMD EPYC\n" +
		"BenchmarkPlan/round=1/by=provider-2 \t 1\t2460000000 ns/op\t 8.000 requests\n" +
		"BenchmarkPlan/round=2/by=provider-2 \t 1\t2600000000 ns/op\t 9.000 requests\n" +
		"BenchmarkPlan/round=1/by=liqoctl-2 \t 1\t9000000000 ns/op\n")
	for got, want := range map[string]string{
		r.Median("Plan/.*/by=provider", "ns/op"):      "2.53",
		r.Median("Plan/round=1/by=provider", "ns/op"): "2.46",
		r.Median("Plan/.*", "ns/op"):                  "2.6",
		r.Most("Plan/.*", "requests"):                 "9",
		r.Setting("cpu"):                              "AMD EPYC",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
