package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// protocol is the major version of Terraform's plugin protocol that the provider speaks.
const protocol = 6

// handshake shows a provider that Terraform has started it; see
// github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server.
var handshake = plugin.HandshakeConfig{
	ProtocolVersion:  protocol,
	MagicCookieKey:   "TF_PLUGIN_MAGIC_COOKIE",
	MagicCookieValue: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
}

// connection is a plugin whose client is just the connection to it.
type connection struct{ plugin.NetRPCUnsupportedPlugin }

// GRPCClient implements plugin.GRPCPlugin.
func (connection) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, c *grpc.ClientConn) (any, error) {
	return c, nil
}

// GRPCServer implements plugin.GRPCPlugin.
func (connection) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("nothing is served here")
}

// startToSchema starts a provider, requests its schema, and returns the duration. It ends the
// provider.
func startToSchema(ctx context.Context, provider string) (time.Duration, error) {
	start := time.Now()
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  handshake,
		VersionedPlugins: map[int]plugin.PluginSet{protocol: {"provider": connection{}}},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Cmd:              exec.CommandContext(ctx, provider),
		AutoMTLS:         true,
		Logger:           hclog.NewNullLogger(),
		SyncStderr:       io.Discard,
	})
	defer client.Kill()
	rpc, err := client.Client()
	if err != nil {
		return 0, fmt.Errorf("starting the provider: %w", err)
	}
	raw, err := rpc.Dispense("provider")
	if err != nil {
		return 0, err
	}
	conn, ok := raw.(*grpc.ClientConn)
	if !ok {
		return 0, fmt.Errorf("the provider's connection is a %T", raw)
	}
	// The request has no fields, and nothing reads the fields of the answer, so an empty message is
	// enough for both.
	const unlimited = 256 << 20
	err = conn.Invoke(ctx, "/tfplugin6.Provider/GetProviderSchema",
		&emptypb.Empty{}, &emptypb.Empty{}, grpc.MaxCallRecvMsgSize(unlimited))
	if err != nil {
		return 0, fmt.Errorf("asking the provider for its schema: %w", err)
	}
	return time.Since(start), nil
}
