package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// podProgram returns the file of liqo-pod, which a lab runs in its pods and nodes. It is beside this program.
func podProgram() (string, error) {
	executable, err := os.Executable()
	if err != nil {
		return "", err
	}
	return podProgramIn(filepath.Dir(executable))
}

func podProgramIn(folder string) (string, error) {
	program := filepath.Join(folder, "liqo-pod")
	if _, err := os.Stat(program); err != nil {
		return "", fmt.Errorf("the program that a lab runs in its pods and nodes is missing: %w\n"+
			"build it in the repository: go -C internal/lab build -o %s/ ./cmd/liqo-pod", err, folder)
	}
	return program, nil
}
