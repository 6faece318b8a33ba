package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
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

// up is the command that starts a lab.
type up struct {
	*cli

	// lab is complete once the flags are parsed.
	lab                  lab.Options
	clusters, peerings   []string
	buildOnly, metrics   bool
	detach, background   bool
	json, stopOnStdinEOF bool
}

func newUp(c *cli) *cobra.Command { return (&up{cli: c}).command() }

func (u *up) command() *cobra.Command {
	command := &cobra.Command{
		Use:   "up",
		Short: "Start a lab, and stop it on Ctrl-C",
		Args:  cobra.NoArgs,
		RunE:  func(command *cobra.Command, _ []string) error { return u.run(command.Context()) },
	}
	flags := command.Flags()
	flags.StringArrayVar(&u.clusters, "cluster", nil,
		"a cluster: name=podCIDR[,external=CIDR][,service=CIDR][,nodes=COUNT]"+
			"[,liqo=RELEASE][,no-liqo][,kubernetes=VERSION] (default: europe, rome and milan); another release of "+
			"Liqo, such as v1.1.2 or a folder with its sources such as ./liqo, or another version of Kubernetes, such as "+
			"v1.36.3, builds its programs once. Clusters that request no release of Liqo have that of $"+liqoVariable+
			" or, without it, the version that the lab pins")
	flags.BoolVar(&u.lab.Peerable, "peerable", false,
		"allow peerings between the clusters, with liqo-lab peer; builds two more programs once")
	flags.StringArrayVar(&u.peerings, "peer", nil, "peer two of the clusters: consumer=provider; implies --peerable")
	flags.StringVar((*string)(&u.lab.DataPlane), "dataplane", string(lab.Simulated),
		"simulated; real, which carries packets, needs root and /dev/net/tun and builds three more programs once; "+
			"or auto, which is real if the machine supports it")
	flags.BoolVar(&u.metrics, "metrics", false,
		"let Liqo's gateways serve their metrics, at the ports 8082 and 8084 of their pods; with --dataplane=real")
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
	return command
}

func (u *up) run(ctx context.Context) error {
	if u.detach {
		return u.runDetached()
	}
	peerings, err := u.complete(ctx)
	if err != nil {
		return err
	}
	if err := silence(); err != nil {
		return err
	}
	if u.buildOnly {
		return u.lab.Build(ctx)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if u.stopOnStdinEOF {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // an error is an end as well
			stop()
		}()
	}
	if err := process.Batch(); err != nil {
		return err
	}
	report, start := u.lab.Report, time.Now()
	l, err := lab.Start(ctx, u.lab)
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

// complete completes the lab as the flags request it, and returns the requested peerings.
func (u *up) complete(ctx context.Context) ([]peering, error) {
	standard, err := standardCluster(ctx)
	if err != nil {
		return nil, err
	}
	standard.Metrics = u.metrics
	if u.lab.Clusters, err = parseClusters(ctx, u.clusters, standard); err != nil {
		return nil, err
	}
	peerings, err := parsePeerings(u.peerings, u.lab.Clusters)
	if err != nil {
		return nil, err
	}
	u.lab.Peerable = u.lab.Peerable || len(peerings) > 0
	dir, err := u.folder()
	if err != nil {
		return nil, err
	}
	if u.lab.Dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	u.lab.Guard = []string{executable, "guard", "--dir", u.lab.Dir}
	if u.lab.Helper, err = podProgram(); err != nil {
		return nil, err
	}
	if u.lab.DataPlane, err = u.lab.DataPlane.Choose(u.lab.Helper); err != nil {
		return nil, fmt.Errorf("--dataplane=%s: %w", u.lab.DataPlane, err)
	}
	u.lab.Report = progress.New(os.Stderr)
	return peerings, nil
}

// serve announces the lab and serves its control until ctx ends.
func (u *up) serve(ctx context.Context, l *lab.Lab, stop func()) error {
	listener, err := l.Dir().Listen()
	if err != nil {
		return err
	}
	defer control.Serve(listener, runInLab(l, stop))()
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

// runDetached runs the lab in its own process and session, and returns when it is ready.
func (u *up) runDetached() error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(executable, inBackground(os.Args[1:])...)
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	child.Stderr = os.Stderr // until the lab is ready; then the child lets go of it
	stdout, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	state, err := labdir.ReadAnnounced(stdout)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the lab did not start: %w", child.Wait())
	}
	if err != nil {
		return err
	}
	return errors.Join(u.announce(os.Stdout, state), child.Process.Release())
}

// inBackground returns the arguments of the process that is the lab, from those of the command that detaches it. All
// flags stay.
func inBackground(args []string) []string {
	return append(args, "--detach=false", "--background", "--json")
}
