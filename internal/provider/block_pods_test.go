package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// acceptsOnly fails the test unless a validator accepts the texts that are valid, and no other one.
func acceptsOnly(t *testing.T, v validator.String, texts map[string]bool) {
	t.Helper()
	for text, valid := range texts {
		t.Run(text, func(t *testing.T) {
			var answer validator.StringResponse
			v.ValidateString(t.Context(),
				validator.StringRequest{Path: path.Root("pods"), ConfigValue: types.StringValue(text)}, &answer)
			if got := !answer.Diagnostics.HasError(); got != valid {
				t.Errorf("%q is accepted: %t", text, got)
			}
		})
	}
}

func TestOnlyResourcesThatContainersHaveAreAccepted(t *testing.T) {
	acceptsOnly(t, computeResource(), map[string]bool{
		"cpu": true, "memory": true, "ephemeral-storage": true, "hugepages-2Mi": true, "example.com/gpu": true,
		"cpus": false, "": false, "storage": false, "pods": false, "/gpu": false, "example.com/": false,
	})
}

func TestALeaseHasWholeSecondsFromTwoToAnHour(t *testing.T) {
	acceptsOnly(t, leaseDuration(), map[string]bool{
		"2s": true, "15s": true, "1m30s": true, "1h": true, "60m": true, "4000ms": true,
		"": false, "1s": false, "2.9s": false, "2500ms": false, "1h1s": false, "256205h": false, "-4s": false, "4": false,
	})
}
