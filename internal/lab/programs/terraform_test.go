package programs

import (
	"slices"
	"testing"
)

func TestTheCallersTerraformVariablesDoNotReachItsRuns(t *testing.T) {
	got := withoutTerraform(
		[]string{"HOME=/h", "TF_CLI_ARGS=-destroy", "TF_VAR_client=x", "TF_LOG=debug", "TF_LOG_PROVIDER=trace"},
	)
	want := []string{"HOME=/h", "TF_LOG=debug", "TF_LOG_PROVIDER=trace"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
