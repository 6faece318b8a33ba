package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// accepts reports whether a validator accepts a text.
func accepts(t *testing.T, v validator.String, text string) bool {
	t.Helper()
	var answer validator.StringResponse
	v.ValidateString(t.Context(),
		validator.StringRequest{Path: path.Root("pods"), ConfigValue: types.StringValue(text)}, &answer)
	return !answer.Diagnostics.HasError()
}

func TestOnlyResourcesThatContainersHaveAreAccepted(t *testing.T) {
	for name, valid := range map[string]bool{
		"cpu": true, "memory": true, "ephemeral-storage": true, "hugepages-2Mi": true, "example.com/gpu": true,
		"cpus": false, "": false, "storage": false, "pods": false, "/gpu": false, "example.com/": false,
	} {
		t.Run(name, func(t *testing.T) {
			if got := accepts(t, computeResource(), name); got != valid {
				t.Errorf("%q is accepted: %t", name, got)
			}
		})
	}
}

func TestALeaseHasWholeSecondsFromTwoToAnHour(t *testing.T) {
	for text, valid := range map[string]bool{
		"2s": true, "15s": true, "1m30s": true, "1h": true, "60m": true, "4000ms": true,
		"": false, "1s": false, "2.9s": false, "2500ms": false, "1h1s": false, "256205h": false, "-4s": false, "4": false,
	} {
		t.Run(text, func(t *testing.T) {
			if got := accepts(t, leaseDuration(), text); got != valid {
				t.Errorf("%q is accepted: %t", text, got)
			}
		})
	}
}
