package probe

import (
	"context"
	"net"
	"net/netip"
	"strconv"
)

// UDP sends a datagram to the port on which a pod answers, from another port each time. So each is the first packet of
// a flow.
func UDP(ctx context.Context, address netip.Addr, options Options) Result {
	return askUDP(ctx, netip.AddrPortFrom(address, echoPort), options)
}

func askUDP(ctx context.Context, to netip.AddrPort, options Options) Result {
	var dialer net.Dialer
	answer := make([]byte, largestPacket)
	return repeat(ctx, to.Addr().String(), options, func(ctx context.Context, number int) error {
		conn, err := dialer.DialContext(ctx, "udp4", to.String())
		if err != nil {
			return err
		}
		defer conn.Close()
		deadline, _ := ctx.Deadline()
		if err := conn.SetDeadline(deadline); err != nil {
			return err
		}
		if _, err := conn.Write([]byte(strconv.Itoa(number))); err != nil {
			return err
		}
		_, err = conn.Read(answer)
		return err
	})
}
