package liqo

// GatewayClient is the settings of a leaf's gateway that dials the other leaf's gateway.
type GatewayClient struct {
	TunnelSettings

	ServerAddress string // IP address or DNS name; empty for the server's own
	ServerPort    int32  // 0 for the server's own
	KeySecret     string // as in [GatewayServer]
	Template      Template
	Pods          *PodSettings // nil if the template is taken as it is
}

// Dials returns the endpoint that a gateway with these settings dials, given the server's endpoint.
func (g GatewayClient) Dials(server Endpoint) Endpoint {
	if g.ServerAddress != "" {
		server.Addresses = []string{g.ServerAddress}
	}
	if g.ServerPort != 0 {
		server.Port = g.ServerPort
	}
	return server
}

// Observed returns the found gateway in terms of these settings. A field that these settings leave to the server or to
// Liqo stays empty while the gateway has the server's or Liqo's value. Server is the endpoint of the server's gateway.
// It is nil while the endpoint is unknown; then the found endpoint counts as the server's. LiqoNamespace is the
// namespace of Liqo on this leaf.
func (g GatewayClient) Observed(gateway GatewayClient, server *Endpoint, liqoNamespace string) GatewayClient {
	said := Endpoint{Addresses: []string{gateway.ServerAddress}, Port: gateway.ServerPort}
	if server != nil {
		said = *server
	}
	expected := g.Dials(said)
	if gateway.ServerAddress == expected.Addresses[0] {
		gateway.ServerAddress = g.ServerAddress
	}
	if gateway.ServerPort == expected.Port {
		gateway.ServerPort = g.ServerPort
	}
	gateway.Template = g.Template.observed(gateway.Template, DefaultClientTemplate(liqoNamespace))
	return gateway
}

// Dialled returns the endpoint that the gateway dials, or nil if there is no gateway, or someone has removed its
// addresses.
func (o Objects) Dialled() *Endpoint {
	client := o.GatewayAs(ClientRole)
	if client == nil || len(client.Endpoint.Addresses) == 0 {
		return nil
	}
	return endpointOf(client.Endpoint)
}

// ObservedClient returns the settings of the gateway, or nil if there is none. The address and port are those that the
// gateway dials, whether they are set or the server's.
func (o Objects) ObservedClient() *GatewayClient {
	client := o.GatewayAs(ClientRole)
	if client == nil {
		return nil
	}
	observed := &GatewayClient{
		TunnelSettings: o.TunnelSettings(),
		ServerPort:     client.Endpoint.Port,
		KeySecret:      client.Secret.Name,
	}
	observed.Template, observed.Pods = observedTemplate(client)
	if len(client.Endpoint.Addresses) > 0 {
		observed.ServerAddress = client.Endpoint.Addresses[0]
	}
	return observed
}

// TemplateOn implements [GatewaySettings].
func (g GatewayClient) TemplateOn(liqoNamespace string) Template {
	return g.Template.Or(DefaultClientTemplate(liqoNamespace))
}

// Keys implements [GatewaySettings].
func (g GatewayClient) Keys() (secret, rotation string) { return g.KeySecret, g.KeyRotation }

// PodSettings implements [GatewaySettings].
func (g GatewayClient) PodSettings() *PodSettings { return g.Pods }
