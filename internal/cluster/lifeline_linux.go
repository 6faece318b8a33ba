package cluster

import (
	"os"
	"syscall"
)

const (
	// memoryFolder is kept in memory by Linux. A container has its own one, unless it shares that of its host.
	memoryFolder = "/dev/shm"
	// memoryType is the type of such file systems, see statfs(2).
	memoryType = 0x01021994
)

// newLifeline makes the lifeline of a holder. It returns nil if there is no memory for it.
func newLifeline(memory, holder string) *lifeline {
	if !isMemory(memory) {
		return nil
	}
	file, err := os.OpenFile(lifelinePath(memory, holder), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil
	}
	l := &lifeline{file}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		l.cut()
		return nil
	}
	l.note(lifelineIdle)
	return l
}

// isGone reports whether a holder has certainly ended, and has certainly left no write under way: it was a process of
// the same user on this machine.
func isGone(memory, holder string) bool {
	if !isMemory(memory) {
		return false
	}
	file, err := os.OpenFile(lifelinePath(memory, holder), os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	var status syscall.Stat_t
	if syscall.Fstat(int(file.Fd()), &status) != nil || int(status.Uid) != os.Geteuid() {
		return false // everybody can write files there
	}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil {
		return false // it has not ended
	}
	content := make([]byte, 1)
	_, err = file.ReadAt(content, 0)
	return err == nil && content[0] == lifelineIdle
}

// removeLifeline removes what a holder has left that has lost its lease.
func removeLifeline(memory, holder string) { _ = os.Remove(lifelinePath(memory, holder)) }

func isMemory(folder string) bool {
	var system syscall.Statfs_t
	return syscall.Statfs(folder, &system) == nil && system.Type == memoryType
}
