package figures

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Machine describes the machine that produced the figures.
type Machine struct {
	Cores  int     `json:"cores"`
	CPU    string  `json:"cpu"`
	Memory float64 `json:"memoryGiB"`
	System string  `json:"system"`
}

// ThisMachine describes the current machine. It reads /proc.
func ThisMachine() (Machine, error) {
	m := Machine{Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH}
	cpu, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return m, err
	}
	defer cpu.Close()
	m.CPU = field(cpu, "model name")
	memory, err := os.Open("/proc/meminfo")
	if err != nil {
		return m, err
	}
	defer memory.Close()
	kibibytes, err := strconv.ParseFloat(strings.TrimSuffix(field(memory, "MemTotal"), " kB"), 64)
	if err != nil {
		return m, fmt.Errorf("/proc/meminfo: %w", err)
	}
	m.Memory = kibibytes / (1 << 20)
	return m, nil
}

// String returns the machine in a few words.
func (m Machine) String() string {
	return fmt.Sprintf("%d cores of %s, %.0f GiB, %s", m.Cores, m.CPU, m.Memory, m.System)
}

// field returns the value of the first line `name: value`, or an empty string.
func field(file io.Reader, name string) string {
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if key, value, found := strings.Cut(lines.Text(), ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
