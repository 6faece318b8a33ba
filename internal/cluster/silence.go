package cluster

// While a tunnel is up, its gateway renews a time in the Connection. If the gateway is gone, for example
// with its node, the Connection stays as it is and still calls the tunnel up. This file detects that.
