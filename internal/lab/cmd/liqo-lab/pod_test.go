package main

import (
	"strings"
	"testing"
)

func TestALabWithoutTheProgramOfItsPodsSaysHowToBuildIt(t *testing.T) {
	folder := t.TempDir()
	_, err := podProgramIn(folder)
	if err == nil || !strings.Contains(err.Error(), "go -C internal/lab build -o "+folder+"/ ./cmd/liqo-pod") {
		t.Errorf("got %v", err)
	}
}
