package kube

import (
	"slices"
	"testing"
)

func TestAPodOfAVirtualKubeletChoosesNoCredentialsAndNoFiles(t *testing.T) {
	env := ofLiqo([]string{
		"POD_NAME=vk", "KUBECONFIG=/tmp/own", "LD_PRELOAD=/tmp/own", "HTTPS_PROXY=own", "POD_NAMESPACE=x=y",
	})
	if want := []string{"POD_NAME=vk", "POD_NAMESPACE=x=y"}; !slices.Equal(env, want) {
		t.Errorf("the environment is %v", env)
	}
	args := withoutFiles([]string{
		"--nodename=rome", "--home-kubeconfig=/tmp/own", "-home-kubeconfig", "/tmp/own", "--log_file=/etc/own",
		"--log-dir", "/etc", "--foreign-kubeconfig-secret-name", "kubeconfig", "--listen-port=0",
	})
	want := []string{"--nodename=rome", "--foreign-kubeconfig-secret-name", "kubeconfig", "--listen-port=0"}
	if !slices.Equal(args, want) {
		t.Errorf("the arguments are %v", args)
	}
}
