package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
)

// Who holds a lease has a lifeline on its machine: a file that it keeps locked. The kernel ends the lock when the
// process has ended, however it ended, and not before. A process that is stopped keeps it, and so does one in another
// container. The file also says whether a write is under way. Such a write may still arrive after the end of its
// process, so whoever comes next waits until the lease has expired.
//
// The file is in the machine's memory. So it can't be from another machine, from a backup or from before a restart. If
// there is none, nothing is known of the holder. The name of the holder, which is unique, leads to the file. So the
// lease does not need to say anything of machines and processes.
type lifeline struct{ file *os.File }

// The content of a lifeline. While it is being made, it is empty.
const (
	lifelineIdle = 'i' // every write was answered
	lifelineBusy = 'b' // a write is under way, or was not answered
)

// lifelinePath returns where a holder has its lifeline. The name may be that of a hostile leaf.
func lifelinePath(memory, holder string) string {
	digest := sha256.Sum256([]byte(holder))
	return filepath.Join(memory, FieldManager+"-"+hex.EncodeToString(digest[:16]))
}

// note replaces the content. A lifeline that can't be written ends.
func (l *lifeline) note(content byte) {
	if l == nil {
		return
	}
	if _, err := l.file.WriteAt([]byte{content}, 0); err != nil {
		l.cut()
	}
}

// cut ends the lifeline.
func (l *lifeline) cut() {
	if l == nil {
		return
	}
	_ = os.Remove(l.file.Name())
	_ = l.file.Close()
}
