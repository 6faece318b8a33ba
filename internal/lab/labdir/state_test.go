package labdir

import (
	"errors"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestTheStateIsThereWhenTheLabIsReady(t *testing.T) {
	dir, err := Create(filepath.Join(t.TempDir(), "lab"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dir.Remove(); err != nil {
			t.Error(err)
		}
	})
	if _, err := ReadState(dir.Path); !errors.Is(err, ErrNoLab) {
		t.Errorf("before: %v", err)
	}
	want := State{
		Dir: dir.Path, Kubeconfig: dir.Kubeconfig(), Clusters: []Cluster{{Name: "rome", PodCIDR: "10.202.0.0/16"}},
	}
	if err := dir.WriteState(want); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadState(dir.Path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestALabAnnouncesItselfToWhoeverStartedIt(t *testing.T) {
	want := State{Dir: "/lab", Kubeconfig: "/lab/kubeconfig", Clusters: []Cluster{{Name: "rome", Peerable: true}}}
	var stdout strings.Builder
	if err := want.Announce(&stdout); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadAnnounced(strings.NewReader(stdout.String())); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := ReadAnnounced(strings.NewReader("")); !errors.Is(err, io.EOF) {
		t.Errorf("a lab that ended: %v", err)
	}
	if _, err := ReadAnnounced(strings.NewReader("hello\n")); err == nil {
		t.Error("what is no JSON is no error")
	}
}
