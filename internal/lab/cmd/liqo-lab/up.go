package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/leafmesh/terraform-provider-liqo/internal/lab"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/control"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/labdir"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/process"
	"github.com/leafmesh/terraform-provider-liqo/internal/lab/progress"
)

// usualReport is how long a command has run, on average, when a real kubelet reports its pod.
const usualReport = 500 * time.Millisecond

// up is the command that starts a lab.
type up struct {
	folder                              func() (string, error)
	clusters, peerings                  []string
	peerable, peered, metrics           bool
	liqo, dataPlane                     string
	gatewayReadyAfter, podReportedAfter time.Duration
	buildOnly                           bool
	detach, background                  bool
	json, stopOnStdinEOF                bool
}

func newUp(folder func() (string, error)) *cobra.Command { return (&up{folder: folder}).command() }

func (u *up) command() *cobra.Command {
	command := &cobra.Command{
		Use:   "up",
		Short: "Start a lab, and stop it on Ctrl-C",
		Args:  cobra.NoArgs,
		RunE:  func(command *cobra.Command, _ []string) error { return u.run(command.Context()) },
	}
	flags := command.Flags()
	flags.StringArrayVar(&u.clusters, "cluster", nil,
		"a cluster: name=podCIDR[,external=CIDR][,service=CIDR][,nodes=COUNT][,no-load-balancer]"+
			"[,liqo=RELEASE][,no-liqo][,kubernetes=VERSION] (default: europe, rome and milan); another release of "+
			"Liqo, such as v1.1.2 or a folder with its sources such as ./liqo, or another version of Kubernetes, such as "+
			"v1.36.3, builds its programs once")
	flags.StringVar(&u.liqo, "liqo", "", liqoHelp+", in clusters that request no other one")
	flags.BoolVar(&u.peerable, "peerable", false,
		"allow peerings between the clusters, with liqo-lab peer; builds two more programs once")
	flags.StringArrayVar(&u.peerings, "peer", nil, "peer two of the clusters: consumer=provider; implies --peerable")
	flags.BoolVar(&u.peered, "peered", false,
		"peer the first cluster, as the centre, with each of the others that have Liqo; implies --peerable")
	flags.StringVar(&u.dataPlane, "dataplane", string(lab.Simulated),
		"simulated; real, which carries packets, needs root and /dev/net/tun and builds three more programs once; "+
			"or auto, which is real if the machine supports it")
	flags.BoolVar(&u.metrics, "metrics", false,
		"let Liqo's gateways serve their metrics, at the ports 8082 and 8084 of their pods; with --dataplane=real")
	flags.DurationVar(&u.gatewayReadyAfter, "gateway-ready-after", 0, "how long a gateway's pod takes to be ready")
	flags.DurationVar(&u.podReportedAfter, "pod-reported-after", usualReport,
		"how long a pod already runs its command when it is reported as running; with --dataplane=real")
	flags.BoolVar(&u.buildOnly, "build-only", false, "build the programs of the lab, unless the cache has them, and end")
	flags.BoolVar(&u.detach, "detach", false, "return when the lab is ready; it continues in the background")
	flags.BoolVar(&u.json, "json", false, "when the lab is ready, print one line of JSON that describes it")
	flags.BoolVar(&u.stopOnStdinEOF, "stop-on-stdin-eof", false,
		"stop the lab at the end of stdin, for programs that start it as a child")
	flags.BoolVar(&u.background, "background", false, "give up stdout and stderr when the lab is ready")
	if err := flags.MarkHidden("background"); err != nil {
		panic(err)
	}
	command.MarkFlagsMutuallyExclusive("build-only", "detach", "stop-on-stdin-eof")
	command.MarkFlagsMutuallyExclusive("peer", "peered")
	return command
}

// atStdinEOF calls stop at the end of stdin, for programs that start this one as a child.
func atStdinEOF(stop func()) {
	_, _ = io.Copy(io.Discard, os.Stdin) // an error is an end as well
	stop()
}

func (u *up) run(ctx context.Context) error {
	if u.detach {
		return u.runDetached()
	}
	options, peerings, err := u.options(ctx)
	if err != nil {
		return err
	}
	if err := silence(); err != nil {
		return err
	}
	if u.buildOnly {
		return options.Build(ctx)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if u.stopOnStdinEOF {
		go atStdinEOF(stop)
	}
	if err := process.Batch(); err != nil {
		return err
	}
	report, start := options.Report, time.Now()
	l, err := lab.Start(ctx, options)
	if err != nil {
		return err
	}
	report.Say("The lab is ready after %.1fs.", time.Since(start).Seconds())
	if err = peerAll(ctx, report, l.State().Clusters, peerings); err == nil {
		err = u.serve(ctx, l, stop)
	}
	report.Say("Stopping the lab.")
	return errors.Join(err, l.Stop())
}

// options returns the lab and the peerings that the flags request.
func (u *up) options(ctx context.Context) (lab.Options, []peering, error) {
	clusters, peerings, err := u.requested(ctx)
	if err != nil {
		return lab.Options{}, nil, err
	}
	dir, err := u.folder()
	if err != nil {
		return lab.Options{}, nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return lab.Options{}, nil, err
	}
	executable, err := os.Executable()
	if err != nil {
		return lab.Options{}, nil, err
	}
	helper, err := podProgram()
	if err != nil {
		return lab.Options{}, nil, err
	}
	plane, err := lab.DataPlane(u.dataPlane).Choose(helper)
	if err != nil {
		return lab.Options{}, nil, fmt.Errorf("--dataplane=%s: %w", u.dataPlane, err)
	}
	return lab.Options{
		Dir: dir, Clusters: clusters, DataPlane: plane, Metrics: u.metrics,
		Peerable:          u.peerable || u.peered || len(peerings) > 0,
		GatewayReadyAfter: u.gatewayReadyAfter, PodReportedAfter: u.podReportedAfter,
		Guard: []string{executable, "guard", "--dir", dir}, Helper: helper,
		Report: progress.New(os.Stderr),
	}, peerings, nil
}

// requested returns the clusters and the peerings that the flags request.
func (u *up) requested(ctx context.Context) ([]lab.Cluster, []peering, error) {
	standard, err := standardCluster(ctx, u.liqo)
	if err != nil {
		return nil, nil, err
	}
	clusters, err := parseClusters(ctx, u.clusters, standard)
	if err != nil {
		return nil, nil, err
	}
	if u.peered {
		return clusters, peeringsOfCentre(clusters), nil
	}
	peerings, err := parsePeerings(u.peerings, clusters)
	return clusters, peerings, err
}

// serve announces the lab and serves its control until ctx ends.
func (u *up) serve(ctx context.Context, l *lab.Lab, stop func()) error {
	listener, err := l.Dir().Listen()
	if err != nil {
		return err
	}
	defer control.Serve(listener, l, os.Getpid(), stop)()
	if err := u.announce(os.Stdout, l.State()); err != nil {
		return err
	}
	if u.background {
		if err := toLog(l.Dir().Log()); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return nil
}

// announce prints the state, for programs or for users.
func (u *up) announce(out io.Writer, state labdir.State) error {
	if u.json {
		return state.Announce(out)
	}
	fmt.Fprintf(out, "%d clusters with Liqo's own controllers are running. %s\n\n", len(state.Clusters), planeOf(state))
	for _, c := range state.Clusters {
		fmt.Fprintf(out, "  %-12s %s  Kubernetes %s, %s, pods %s, external %s\n               kubeconfig %s\n",
			c.Name, c.Server, c.KubernetesVersion, liqoOf(c), c.PodCIDR, c.ExternalCIDR, c.Kubeconfig)
	}
	fmt.Fprintf(out, "\nAll clusters, a context each:  export KUBECONFIG=%s\n", state.Kubeconfig)
	option := ""
	if standard, err := labdir.Default(); err != nil || standard != state.Dir {
		option = " --dir " + state.Dir
	}
	fmt.Fprintf(out, "Look into them:                liqo-lab get connections%s\n", option)
	if u.detach {
		fmt.Fprintf(out, "Stop the lab:                  liqo-lab down%s\n", option)
	} else {
		fmt.Fprintf(out, "Stop the lab:                  Ctrl-C here, or liqo-lab down%s\n", option)
	}
	return nil
}

// planeOf returns a text about the data plane of a lab.
func planeOf(state labdir.State) string {
	if state.DataPlane == string(lab.Real) {
		return "The data plane is real: packets cross."
	}
	return "The data plane is simulated: no packets cross."
}

// liqoOf returns a text about Liqo in a cluster.
func liqoOf(c labdir.Cluster) string {
	if c.LiqoVersion == "" {
		return "no Liqo"
	}
	return "Liqo " + c.LiqoVersion
}

// silence keeps the logs of the libraries off the terminal. It discards them until the lab's folder
// exists, and then writes them to the lab's log.
func silence() error {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	klog.InitFlags(flags)
	if err := errors.Join(flags.Set("logtostderr", "false"), flags.Set("stderrthreshold", "FATAL")); err != nil {
		return err
	}
	klog.SetOutput(io.Discard)
	ctrl.SetLogger(klog.NewKlogr())
	return nil
}

// toLog sends the later output of the process to a file.
func toLog(name string) error {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	for _, descriptor := range []int{int(os.Stdout.Fd()), int(os.Stderr.Fd())} {
		if err := unix.Dup3(int(file.Fd()), descriptor, 0); err != nil {
			return err
		}
	}
	return nil
}
