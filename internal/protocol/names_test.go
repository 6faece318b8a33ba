package protocol

import (
	"fmt"
	"testing"
)

// knowingRoma returns a provider block in which Rome has a second name.
func (l *leaves) knowingRoma() string {
	return fmt.Sprintf(`
		provider "liqo" {
		  config_path = %q
		  clusters    = { roma = { config_context = "rome" } }
		}`, l.kubeconfig)
}

func TestAnotherNameForTheSameClusterIsNoReplacement(t *testing.T) {
	l := leavesFor(t)
	p := l.project(t, l.knowingRoma()+fromTo("rome", "milan", overNodePort))
	p.apply()
	p.has(romeMilan, "Connected", "status")

	p.configure(l.knowingRoma() + fromTo("roma", "milan", overNodePort))
	renamed := p.apply()
	renamed.does("update", romeMilan)
	renamed.doesNotSay("Warning")
}

func TestAnotherClusterIsAReplacement(t *testing.T) {
	l := leavesFor(t, topology...)
	p := l.project(t, between("milan", overNodePort))
	p.apply()

	p.configure(between("europe", overNodePort))
	replaced := p.apply()
	replaced.does("replace", romeMilan)
	replaced.says(`The resource is for cluster "milan"`, `but the name "europe" refers to cluster "europe"`,
		"So the plan replaces the resource.")
	p.has(romeMilan, "Connected", "status")
	p.has(romeMilan, "rome/europe", "id")
}

func TestAPlanFails(t *testing.T) {
	l := leavesFor(t, topology...)
	for name, test := range map[string]struct {
		config  string
		message []string
	}{
		"for a name that is neither a cluster nor a context": {
			l.knowingRoma() + fromTo("rome", "turin", ""),
			[]string{
				"Error: Unknown leaf turin", romeMilan, `"roma"`, `"europe", "milan", "naples", "rome", "venice"`, "#leaf-unknown",
			},
		},
		"for one cluster under two names": {
			l.knowingRoma() + fromTo("rome", "roma", ""),
			[]string{"Error: The same leaf twice", `both refer to cluster "rome"`},
		},
		"for a cluster without Liqo": {
			l.knowingRoma() + fromTo("rome", "venice", ""),
			[]string{`Error: No Liqo in namespace "liqo" on leaf "venice"`, "Install Liqo", "#liqo-missing"},
		},
	} {
		t.Run(name, func(t *testing.T) { l.project(t, test.config).planFails(test.message...) })
	}
}
