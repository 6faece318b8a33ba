package figures

import (
	"fmt"
	"runtime"

	"github.com/prometheus/procfs"
)

// ThisMachine describes the current machine in a few words.
func ThisMachine() (string, error) {
	kernel, err := procfs.NewDefaultFS()
	if err != nil {
		return "", err
	}
	processors, err := kernel.CPUInfo()
	if err != nil {
		return "", err
	}
	memory, err := kernel.Meminfo()
	if err != nil {
		return "", err
	}
	if len(processors) == 0 || memory.MemTotalBytes == nil {
		return "", fmt.Errorf("the kernel tells neither of processors nor of memory")
	}
	return fmt.Sprintf("%d cores of %s, %.0f GiB, %s/%s", runtime.NumCPU(), processors[0].ModelName,
		float64(*memory.MemTotalBytes)/(1<<30), runtime.GOOS, runtime.GOARCH), nil
}
