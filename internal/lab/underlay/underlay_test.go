package underlay

import (
	"bytes"
	"io"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

var (
	rome  = netip.MustParseAddr("172.18.0.2")
	milan = netip.MustParseAddr("172.18.0.3")
	relay = netip.MustParseAddr("172.18.254.1")
)

// wire is a device whose other end is in the test.
type wire struct {
	in  chan []byte
	out chan []byte
}

func newWire() *wire { return &wire{in: make(chan []byte), out: make(chan []byte, 10)} }

func (w *wire) Read(buffer []byte) (int, error) {
	packet, open := <-w.in
	if !open {
		return 0, io.EOF
	}
	return copy(buffer, packet), nil
}

func (w *wire) Write(packet []byte) (int, error) {
	w.out <- bytes.Clone(packet)
	return len(packet), nil
}

func (w *wire) Close() error {
	close(w.in)
	return nil
}

// packet is an IPv4 packet with a byte in it.
func packet(from, to netip.Addr, content byte) []byte {
	p := make([]byte, 21)
	p[0] = 0x45
	copy(p[12:], from.AsSlice())
	copy(p[16:], to.AsSlice())
	p[20] = content
	return p
}

// newPair returns a network with Rome and Milan. Its caller runs with fake time.
func newPair(t *testing.T) (network *Network, romeWire, milanWire *wire) {
	t.Helper()
	network, romeWire, milanWire = New(), newWire(), newWire()
	plug(t, network, romeWire, rome, "rome")
	plug(t, network, milanWire, milan, "milan")
	return network, romeWire, milanWire
}

// plug plugs a wire in until the test ends.
func plug(t *testing.T, network *Network, w *wire, address netip.Addr, leaf string) {
	t.Helper()
	port := network.Attach(w)
	port.AddAddress(address, leaf)
	t.Cleanup(func() {
		if err := port.Close(); err != nil {
			t.Error(err)
		}
	})
}

// arrived returns the packets that have arrived when the network is idle.
func (w *wire) arrived() []byte {
	synctest.Wait()
	var contents []byte
	for {
		select {
		case p := <-w.out:
			contents = append(contents, p[20])
		default:
			return contents
		}
	}
}

func TestAPacketReachesTheOwnerOfItsAddressUnchanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, from, to := newPair(t)
		sent := packet(rome, milan, 7)
		from.in <- sent
		if got := <-to.out; !bytes.Equal(got, sent) {
			t.Errorf("got %v, want %v", got, sent)
		}
	})
}

func TestAPacketToNobodyIsLostAndSoIsWhatIsNoIPv4(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, from, to := newPair(t)
		from.in <- packet(rome, netip.MustParseAddr("10.203.0.10"), 1)
		from.in <- []byte{0x60, 0, 0}
		from.in <- packet(rome, rome, 2)
		if got := append(to.arrived(), from.arrived()...); len(got) > 0 {
			t.Errorf("%v arrived", got)
		}
	})
}

func TestACutLinkCarriesNothingUntilItIsHealed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, from, to := newPair(t)
		n.SetLink("milan", "rome", Conditions{Down: true})
		from.in <- packet(rome, milan, 1)
		if got := to.arrived(); len(got) > 0 {
			t.Errorf("%v arrived over a cut link", got)
		}
		n.SetLink("rome", "milan", Conditions{})
		from.in <- packet(rome, milan, 2)
		if got := to.arrived(); !bytes.Equal(got, []byte{2}) {
			t.Errorf("%v arrived over a healed link", got)
		}
	})
}

func TestADelayedPacketArrivesWhenItIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, from, to := newPair(t)
		n.SetLink("rome", "milan", Conditions{Delay: 100 * time.Millisecond})
		start := time.Now()
		from.in <- packet(rome, milan, 1)
		<-to.out
		if took := time.Since(start); took != 100*time.Millisecond {
			t.Errorf("it took %s", took)
		}
	})
}

func TestALossOfAllLosesAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, from, to := newPair(t)
		n.SetLink("rome", "milan", Conditions{Loss: 1})
		from.in <- packet(rome, milan, 1)
		if got := to.arrived(); len(got) > 0 {
			t.Errorf("%v arrived", got)
		}
	})
}

func TestAnIsolatedLeafReachesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, from, to := newPair(t)
		n.Isolate("milan", true)
		from.in <- packet(rome, milan, 1)
		if got := to.arrived(); len(got) > 0 {
			t.Errorf("%v arrived", got)
		}
	})
}

// An address of a leaf may be on another port than its node: that of a NAT.
func TestAnAddressOfALeafElsewhereIsBehindItsLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, from, _ := newPair(t)
		nat := newWire()
		plug(t, n, nat, relay, "milan")
		n.SetLink("rome", "milan", Conditions{Down: true})
		from.in <- packet(rome, relay, 1)
		if got := nat.arrived(); len(got) > 0 {
			t.Errorf("%v arrived over a cut link", got)
		}
		n.SetLink("rome", "milan", Conditions{})
		from.in <- packet(rome, relay, 2)
		if got := nat.arrived(); !bytes.Equal(got, []byte{2}) {
			t.Errorf("%v arrived", got)
		}
	})
}
