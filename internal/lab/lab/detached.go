package lab

import "syscall"

// detached starts a process in a session of its own, so that the terminal and its signals do not
// reach it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
