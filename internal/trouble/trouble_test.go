package trouble

import "testing"

func TestAnAddressLeadsToTheGuideOfTheSameVersion(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for _, test := range []struct{ name, version, commit, want string }{
		{
			"a release", "1.2.3", commit,
			"https://registry.terraform.io/providers/leafmesh/liqo/1.2.3/docs/guides/troubleshooting#tunnel-down",
		},
		{
			"a release candidate", "1.2.3-rc.1", commit,
			"https://registry.terraform.io/providers/leafmesh/liqo/1.2.3-rc.1/docs/guides/troubleshooting#tunnel-down",
		},
		{
			"commits after a release", "1.2.3-4-g0123456", commit,
			"https://github.com/leafmesh/terraform-provider-liqo/blob/" + commit +
				"/docs/guides/troubleshooting.md#tunnel-down",
		},
		{
			"a build without make", "dev", "none",
			"https://github.com/leafmesh/terraform-provider-liqo/blob/main/docs/guides/troubleshooting.md#tunnel-down",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Cleanup(func() { SetVersion("", "") })
			SetVersion(test.version, test.commit)
			if got := ID("tunnel-down").Page(); got != test.want {
				t.Errorf("the address is %s, want %s", got, test.want)
			}
		})
	}
}
