package underlay

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// tun is the device file that the machine must have.
const tun = "/dev/net/tun"

// OpenTUN creates a device of that name in the network of the calling thread. The caller exchanges
// IP packets with the network through it. Closing it removes the device.
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
