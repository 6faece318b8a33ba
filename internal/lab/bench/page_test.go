package bench

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"
)

var update = flag.Bool("update", false, "write the pages of figures from the results")

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
	median := r.median(name, unit)
	if unit == "ns/op" {
		median /= 1e9
	}
	return strconv.FormatFloat(median, 'g', 3, 64)
}

func (r results) median(name, unit string) float64 {
	values := r.values(name, unit)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// Rounds returns how many such values there are.
func (r results) Rounds(name, unit string) int { return len(r.values(name, unit)) }

// Most returns the largest of such values.
func (r results) Most(name, unit string) string {
	return strconv.FormatFloat(slices.Max(r.values(name, unit)), 'g', 3, 64)
}

// Ratio returns the median of the values of one name, divided by that of another name, with two digits.
func (r results) Ratio(name, other, unit string) string {
	return strconv.FormatFloat(r.median(name, unit)/r.median(other, unit), 'g', 2, 64)
}

// Setting returns what a line before the benchmarks says, such as cpu.
func (r results) Setting(key string) string { return r.settings[key] }

// Failover returns the cells of a row of the page about failovers: the seconds without an answer of new flows and, in
// brackets, of TCP connections under way. A dash stands for what was not measured. Something was in each row.
func (r results) Failover(service, end, event string) string {
	const named = "Failover/service=%s/%s/end=%s/event=%s"
	r.values(fmt.Sprintf(named, service, ".*", end, event), "new-sec")
	var cells []string
	for _, pods := range []string{
		"replicas=1/lease=none/allow=false", "replicas=1/lease=none/allow=true", "replicas=2/lease=15s/allow=false",
		"replicas=2/lease=4s/allow=false", "replicas=2/lease=4s/allow=true",
	} {
		name := fmt.Sprintf(named, service, pods, end, event)
		seconds := func(unit string) string {
			if !slices.ContainsFunc(r.measured, func(m measurement) bool { return m.name == name && m.unit == unit }) {
				return "–"
			}
			return r.Median(name, unit)
		}
		cells = append(cells, strings.TrimSuffix(seconds("new-sec")+" ("+seconds("tcp-sec")+")", " (–)"))
	}
	return strings.Join(cells, " | ")
}

func TestThePagesShowTheFiguresOfTheBenchmarks(t *testing.T) {
	for _, page := range []string{"figures", "failover", "traffic"} {
		t.Run(page, func(t *testing.T) { showsFigures(t, page) })
	}
}

// showsFigures fails the test unless a page is what its template makes of its results. With -update, it writes it.
func showsFigures(t *testing.T, name string) {
	t.Helper()
	page := name + ".md"
	text, err := os.ReadFile(name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := template.Must(template.ParseFiles(name+".md.tmpl")).Execute(&want, parse(string(text))); err != nil {
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
		t.Errorf("%[1]s is\n%[2]s\nand not what %[3]s.txt and %[3]s.md.tmpl make of it (go test -update writes it):\n%[4]s",
			page, got, name, want.Bytes())
	}
}

func TestARowOfFailoversHasACellForEachKindOfShortcut(t *testing.T) {
	const at = "BenchmarkFailover/service=NodePort/"
	r := parse(at + "replicas=1/lease=none/allow=false/end=server/event=node-lost 1 360.4 new-sec 450.1 tcp-sec\n" +
		at + "replicas=1/lease=none/allow=true/end=server/event=node-lost 1 361.2 new-sec\n" +
		at + "replicas=2/lease=4s/allow=false/end=server/event=node-lost 1 15.2 new-sec 26.1 tcp-sec\n" +
		at + "replicas=2/lease=4s/allow=false/end=server/event=node-lost 1 15.4 new-sec 26.7 tcp-sec\n")
	want := "360 (450) | 361 | – | 15.3 (26.4) | –"
	if got := r.Failover("NodePort", "server", "node-lost"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAFigureIsTheMedianOrTheLargestOfItsRounds(t *testing.T) {
	r := parse("cpu: AMD EPYC\n" +
		"BenchmarkPlan/round=1/by=provider-2 \t 1\t2460000000 ns/op\t 8.000 requests\n" +
		"BenchmarkPlan/round=2/by=provider-2 \t 1\t2600000000 ns/op\t 9.000 requests\n" +
		"BenchmarkPlan/round=1/by=liqoctl-2 \t 1\t9000000000 ns/op\n")
	for got, want := range map[string]string{
		r.Median("Plan/.*/by=provider", "ns/op"):                      "2.53",
		r.Median("Plan/round=1/by=provider", "ns/op"):                 "2.46",
		r.Median("Plan/.*", "ns/op"):                                  "2.6",
		r.Most("Plan/.*", "requests"):                                 "9",
		r.Setting("cpu"):                                              "AMD EPYC",
		r.Ratio("Plan/.*/by=provider", "Plan/.*/by=liqoctl", "ns/op"): "0.28",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
