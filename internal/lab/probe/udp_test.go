package probe

import (
	"net"
	"net/netip"
	"testing"
	"time"
)

func TestEachDatagramIsTheFirstOfAFlow(t *testing.T) {
	server, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0")))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	sources := make(chan netip.AddrPort, 3)
	go func() {
		buffer := make([]byte, largestPacket)
		for {
			size, from, err := server.ReadFromUDPAddrPort(buffer)
			if err != nil {
				return
			}
			sources <- from
			_, _ = server.WriteToUDPAddrPort(buffer[:size], from) // a lost answer is counted below
		}
	}()
	to := netip.MustParseAddrPort(server.LocalAddr().String())
	got := askUDP(t.Context(), to, Options{Count: 3, Timeout: 5 * time.Second})
	if got.Sent != 3 || got.Received != 3 || len(got.Errors) > 0 {
		t.Errorf("got %+v", got)
	}
	if first, second, third := <-sources, <-sources, <-sources; first == second || second == third || first == third {
		t.Errorf("they come from %s, %s and %s", first, second, third)
	}
}

func TestADatagramToAPortWithoutAServerIsLost(t *testing.T) {
	server, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0")))
	if err != nil {
		t.Fatal(err)
	}
	to := netip.MustParseAddrPort(server.LocalAddr().String())
	_ = server.Close() // nobody else listens there
	if got := askUDP(t.Context(), to, Options{Count: 2, Timeout: time.Second}); got.Received != 0 || len(got.Errors) == 0 {
		t.Errorf("got %+v", got)
	}
}
