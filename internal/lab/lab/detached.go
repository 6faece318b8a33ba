package lab

import "syscall"

// detached starts a process in a session of its own, away from the terminal and its signals.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
