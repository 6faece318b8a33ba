package main

import (
	"encoding/xml"
	"os"
	"testing"
)

func TestTheRecordingIsWellFormedAndSmall(t *testing.T) {
	picture, err := os.ReadFile("../../pictures/recording.svg")
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(picture, &struct{}{}); err != nil {
		t.Error(err)
	}
	if limit := 60_000; len(picture) > limit {
		t.Errorf("it has %d bytes, more than %d", len(picture), limit)
	}
}
