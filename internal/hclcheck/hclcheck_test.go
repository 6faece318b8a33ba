package main

import (
	"strings"
	"testing"
)

func TestEveryBlockOfHCLIsFoundWithItsLine(t *testing.T) {
	const markdown = "# Title\n" +
		"```hcl\na = 1\n```\n" +
		"```sh\nb = 2\n```\n" +
		"1. In a list\n" +
		"   ```terraform\n   c = 3\n   ```\n"
	blocks := blocksOf("page.md", markdown)
	want := []block{{"page.md", 3, "a = 1\n"}, {"page.md", 10, "c = 3\n"}}
	if len(blocks) != len(want) || blocks[0] != want[0] || blocks[1] != want[1] {
		t.Errorf("found %v, want %v", blocks, want)
	}
}

func TestAFragmentGetsWhatItTakesForGranted(t *testing.T) {
	for name, test := range map[string]struct{ text, frame string }{
		"the provider's source": {"provider \"liqo\" {}\n", requirement},
		"a variable that it reads": {
			"locals {\n  a = var.kubeconfig\n}\n", requirement + "variable \"kubeconfig\" {}\n",
		},
		"a shortcut that it reads": {
			"output \"a\" {\n  value = liqo_shortcut.b.status\n}\n",
			requirement + "resource \"liqo_shortcut\" \"b\" {\n  client = \"rome\"\n  server = \"milan\"\n}\n",
		},
		"a resource for one end that it imports": {
			"import {\n  to = liqo_gateway_server.a\n  id = \"rome/milan\"\n}\n",
			requirement + "resource \"liqo_gateway_server\" \"a\" {\n" + oneEnd + "}\n",
		},
		"nothing that it declares": {requirement + "variable \"a\" {}\noutput \"a\" {\n  value = var.a\n}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := block{"page.md", 1, test.text}.frame()
			if err != nil {
				t.Fatal(err)
			}
			if got.files["frame.tf"] != test.frame {
				t.Errorf("the frame is\n%s\nwant\n%s", got.files["frame.tf"], test.frame)
			}
		})
	}
}

func TestALineOfABlockIsTheLineOfItsPage(t *testing.T) {
	for _, text := range []string{"locals { needle = 1 }\n", "mtu = 1 // needle\n"} {
		got, err := block{"page.md", 12, text}.frame()
		if err != nil {
			t.Fatal(err)
		}
		before, _, _ := strings.Cut(got.files["main.tf"], "needle")
		if line := strings.Count(before, "\n") + 1; line != 12 {
			t.Errorf("%q is at line %d, want 12", text, line)
		}
	}
}

func TestATestOfTerraformsIsAFileOfItsOwnKind(t *testing.T) {
	got, err := block{"page.md", 1, "run \"plan\" {\n  command = plan\n}\n"}.frame()
	if err != nil {
		t.Fatal(err)
	}
	if got.files["main.tftest.hcl"] == "" {
		t.Errorf("the files are %v", got.files)
	}
}

func TestABlockMayRequireAVersion(t *testing.T) {
	for text, want := range map[string]string{
		"terraform {\n  required_version = \">= 1.12\"\n}\n": ">= 1.12",
		"action \"a\" \"b\" {\n}\n":                          ">= 1.14",
		"resource \"a\" \"b\" {\n}\n":                        "",
	} {
		got, err := block{"page.md", 1, text}.frame()
		if err != nil {
			t.Fatal(err)
		}
		if got.requires.String() != want {
			t.Errorf("%s requires %q, want %q", text, got.requires, want)
		}
	}
}

func TestBrokenSyntaxIsFoundAtItsLine(t *testing.T) {
	b := block{"page.md", 7, "a = 1\nb =\n"}
	findings, err := (&validator{}).validate(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if len(findings) == 0 || findings[0].line != 8 {
		t.Errorf("found %v", findings)
	}
}
