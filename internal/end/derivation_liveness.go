package end

import (
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/leafmesh/terraform-provider-liqo/internal/liqo"
)

// The containers in a gateway's pod start together. One of them, the leader, opens a socket and waits for a message
// from each of the others. When its pod becomes the active one, it tells them to start, and removes the socket. All
// this happens once: if one container restarts, it waits for ever for what the others have done before. The leader
// waits for messages, takes no part in the election, and its pod looks ready. Another one waits for a start that has
// been, while the leader keeps the lease. So liveness probes restart the other side, too. They are commands, because
// only the socket tells who waits: a standby does not serve all ports, and a leader without an API server serves none,
// and must leave the tunnel in peace.

// startSocket is the socket of the leader. Liqo has its path in pkg/gateway/concurrent, not exported.
const startSocket = "/ipc/leader.sock"

// Flags of Liqo's containers: for whom the leader waits, and where a container serves its health once it has started.
const (
	awaitedFlag = "--concurrent-containers-names"
	healthFlag  = "--health-probe-bind-address"
)

// A leader that others wait for is restarted after 10 to 15 s. Those that a leader waits for are restarted after 20 to
// 30 s, because they carry packets meanwhile: another replica takes over after 15 s, unless there is another
// `lease_duration`.
const (
	leaderPeriod   = int64(5)
	followerPeriod = int64(10)
	failures       = int64(3)
	probeTimeout   = int64(5)
)

// Containers start slowly while the API server is slow, or while the image of another one is pulled. So the liveness
// probes begin when a leader has its socket, and when a follower has a leader that works. A container has 10 minutes
// for that.
const (
	startPeriod   = int64(1)
	startFailures = int64(600)
)

// setLiveness lets Kubernetes end what would wait for ever. A container that has a probe keeps it. A template whose
// containers don't start in this way, or don't say where they serve their health, stays as it is.
func (d derivedDeployment) setLiveness(settings liqo.PodSettings) error {
	if settings.Replicas <= 1 {
		return nil
	}
	for _, leader := range d.containers {
		led := healthy(leader)
		var started []string
		followers := d.awaitedBy(leader)
		for _, follower := range followers {
			started = append(started, healthy(follower))
		}
		if len(followers) == 0 || led == "" || slices.Contains(started, "") {
			continue
		}
		leads := "test -S " + startSocket + " || { " + strings.Join(started, " && ") + "; }"
		setProbes(leader, probe(startPeriod, startFailures, leads), probe(leaderPeriod, failures, leads))
		for _, follower := range followers {
			setProbes(follower, probe(startPeriod, startFailures, led),
				probe(followerPeriod, failures, "! test -S "+startSocket+" || "+led))
		}
	}
	return nil
}

// awaitedBy returns the containers for which a leader waits, or none for any other container.
func (d derivedDeployment) awaitedBy(leader map[string]any) (awaited []map[string]any) {
	names := strings.Split(flagValue(leader, awaitedFlag), ",")
	for _, container := range d.containers {
		if name, _ := container["name"].(string); slices.Contains(names, name) {
			awaited = append(awaited, container)
		}
	}
	return awaited
}

// healthy returns a command that succeeds if a container serves its health, or nothing if the container does not say at
// which port. A container that waits already listens there, but does not answer. No proxy of the environment is asked.
func healthy(container map[string]any) string {
	_, port, _ := net.SplitHostPort(flagValue(container, healthFlag)) // no port is no number either
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return ""
	}
	return "http_proxy= wget -q -T 2 -O /dev/null http://127.0.0.1:" + port + "/healthz"
}

// setProbes gives a container a liveness probe, and one that has to succeed before, unless it has such probes.
func setProbes(container, start, liveness map[string]any) {
	const ofStart, ofLiveness = "startupProbe", "livenessProbe"
	if container[ofLiveness] != nil {
		return
	}
	container[ofLiveness] = liveness
	if container[ofStart] == nil {
		container[ofStart] = start
	}
}

// probe returns a probe that runs a command, with seconds between two runs.
func probe(period, failures int64, command string) map[string]any {
	return map[string]any{
		"exec":          map[string]any{"command": []any{"/bin/sh", "-c", command}},
		"periodSeconds": period, "failureThreshold": failures, "timeoutSeconds": probeTimeout,
	}
}

// flagValue returns the value of a container's flag, or nothing.
func flagValue(container map[string]any, name string) string {
	for _, arg := range argsOf(container) {
		if text, _ := arg.(string); isFlag(text, name) {
			return strings.TrimPrefix(strings.TrimPrefix(text, name), "=")
		}
	}
	return ""
}
