package kube

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func TestAnAPIServerIsStartedAgainOnlyIfItCrashesForAKnownReason(t *testing.T) {
	for says, starts := range map[string]int{
		"k8s.io/kube-openapi/pkg/cached.(*LastSuccess[...]).Get(0x66a2d20)": 2,
		"panic: another reason": 1,
	} {
		folder := t.TempDir()
		program, count := filepath.Join(folder, "program"), filepath.Join(folder, "count")
		script := "#!/bin/sh\n[ $1 = --help ] && exit\necho '" + says + "' >&2\necho started >>" + count + "\nexit 1\n"
		if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		c := &Cluster{Options: Options{Logs: folder}}
		log, err := os.Create(c.log("kube-apiserver"))
		if err != nil {
			t.Fatal(err)
		}
		c.plane = &envtest.ControlPlane{APIServer: &envtest.APIServer{
			Path: program, CertDir: folder, Out: log, Err: log, EtcdURL: &url.URL{Scheme: "http", Host: "localhost:1"},
		}}
		err = c.startAPIServer()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: the error is %v", says, err)
		}
		counted, err := os.ReadFile(count)
		if got := strings.Count(string(counted), "started"); got != starts || err != nil {
			t.Errorf("%s: it was started %d times, expected %d (%v)", says, got, starts, err)
		}
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	}
}
