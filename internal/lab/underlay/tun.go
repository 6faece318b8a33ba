package underlay

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// tun is the device file that is needed of the machine.
const tun = "/dev/net/tun"

// OpenTUN makes a device of that name in the network of the calling thread, through which IP packets are exchanged with whoever plugs it in. The device goes
// when it is closed.
func OpenTUN(name string) (*os.File, error) {
	descriptor, err := unix.Open(tun, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tun, err)
	}
	request, err := unix.NewIfreq(name)
	if err != nil {
		return nil, err
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(descriptor, unix.TUNSETIFF, request); err != nil {
		_ = unix.Close(descriptor)
		return nil, fmt.Errorf("a device %s: %w", name, err)
	}
	return os.NewFile(uintptr(descriptor), tun), nil
}
