package acctest

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// figures is the environment variable with the name of a file to which tests add what they measure, in Go's benchmark
// format.
const figures = "FIGURES"

// Measures reports whether figures are wanted.
func Measures() bool { return os.Getenv(figures) != "" }

// Record adds a line to the file. The first ones say what is measured where.
func (l *Lab) Record(t *testing.T, line string) {
	t.Helper()
	file, err := os.OpenFile(os.Getenv(figures), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	Must(t, err)
	defer file.Close()
	info, err := file.Stat()
	if err == nil && info.Size() == 0 {
		line = fmt.Sprintf("date: %s\ncores: %d\nliqo: %s\n", time.Now().UTC().Format("2 January 2006"), runtime.NumCPU(),
			l.Cluster(t, "rome").LiqoVersion) + line
	}
	if err == nil {
		_, err = fmt.Fprintln(file, line)
	}
	Must(t, err)
}
