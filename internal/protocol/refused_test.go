package protocol

import "testing"

func TestAPlanRefuses(t *testing.T) {
	const (
		end  = "of one end: "
		data = "in a data source: "

		dials = "server_address = \"192.0.2.1\"\nserver_port = 51840"
	)
	l := leavesFor(t, topology...)
	for name, test := range map[string]struct {
		config string
		says   []string
	}{
		"a name that is neither a cluster nor a context": {
			l.knowingRoma() + between("turin", ""),
			[]string{
				"Error: Unknown leaf turin", romeMilan, `"roma"`, `"europe", "milan", "naples", "rome", "venice"`, "#leaf-unknown",
			},
		},
		"one cluster under two names": {
			l.knowingRoma() + between("roma", ""), []string{"Error: The same leaf twice", `both refer to cluster "rome"`},
		},
		"a cluster without Liqo": {
			l.knowingRoma() + between("venice", ""),
			[]string{`Error: No Liqo in namespace "liqo" on leaf "venice"`, "Install Liqo", "#liqo-missing"},
		},
		"one pair twice": {
			named("one", "rome", "milan", "") + named("two", "milan", "rome", ""),
			[]string{"The same pair twice", `clusters "milan" and "rome"`},
		},
		"a forbidden remapping that is needed": {
			between("naples", overNodePort+"\n"+`cidr_remapping = "forbid"`),
			[]string{
				"Error: Remapping is forbidden, and needed", `cidr_remapping = "forbid"`,
				`10.202.0.0/16 of "naples" overlaps with 10.202.0.0/16`,
			},
		},
		"ranges without pods": {
			shortcut(`server_network = { pod_cidrs = ["10.220.0.0/16"] }`),
			[]string{
				`Error: There are no pods in 10.220.0.0/16 on leaf "milan"`, "server_network.pod_cidrs",
				`The pods of "milan" have addresses in 10.203.0.0/16.`,
			},
		},
		"an external CIDR that would lose packets": {
			shortcut(`client_network = { external_cidr = "192.168.0.128/25" }`),
			[]string{
				`Error: 192.168.0.128/25 does not begin the external CIDR on leaf "rome"`,
				`client_network.external_cidr = "192.168.0.128/25"`, `The external CIDR of "rome" is 192.168.0.0/24.`,
			},
		},
		"a template that is missing": {
			between("milan", `server_gateway = { template = { name = "nothing" } }`),
			[]string{
				`The template does not exist on leaf "milan"`, "server_gateway.template", "WgGatewayServerTemplate liqo/nothing",
			},
		},
		"a template of no type": {
			between("milan", `client_gateway = { template = { resource = "example.com/v1/nothings" } }`),
			[]string{
				`There are no templates of type example.com/v1/nothings on leaf "rome"`, "client_gateway.template",
			},
		},
		"an empty credential": {
			l.listing(`rome = { config_content = "" }`) + shortcut(), emptyCredential,
		},
		"an entry without credentials or context": {
			l.listing(`turin = { liqo_namespace = "liqo" }`) + `data "liqo_cluster" "turin" { name = "turin" }`,
			[]string{
				`Credentials can't be used on leaf "turin"`,
				"The entry \"turin\" of `clusters` does not say which cluster it is for. By default it is for the context " +
					"with its name, but kubeconfig",
				`has no context "turin"; it has "europe", "milan", "naples", "rome", "venice". Set`,
			},
		},

		end + "the same cluster twice": {
			endAt("liqo_configuration.milan", "milan", "milan", romesRanges), []string{"Error: The same cluster twice"},
		},
		end + "a gateway twice": {
			endAt("liqo_gateway_server.rome", "milan", "rome", "") + endAt("liqo_gateway_client.rome", "milan", "rome", dials),
			[]string{"The same object twice", `already manages the gateway of cluster "milan" for cluster "rome"`},
		},
		end + "a key twice": {
			withTurinsKey("milan") + endAt("liqo_public_key.again", "milan", "turin", keyOfTurin),
			[]string{"The same object twice", `already manages the public key of cluster "milan" for cluster "turin"`},
		},
		end + "a rule for no pods": {
			milansEnd(`allow = [{ to = "server", cidrs = ["10.202.0.0/24"] }]`),
			[]string{"Error: ", `A rule allows 10.202.0.0/24, where "rome" reaches no pods`, "allow"},
		},
		end + "a port of no protocol": {
			milansEnd(`allow = [{ to = "server", port = 80 }]`), []string{"Error: ", "Only TCP and UDP have ports", "allow"},
		},
		end + "a rule to no end": {
			milansEnd(`allow = [{ to = "rome" }]`), []string{"Error: ", "must be one of", "allow"},
		},

		data + "a cluster without Liqo": {
			`data "liqo_cluster" "x" { name = "venice" }`,
			[]string{`Error: No Liqo in namespace "liqo" on leaf "venice"`, `with data.liqo_cluster.x, name = "venice"`},
		},
		data + "an unknown name": {
			`data "liqo_topology" "x" { clusters = ["rome", "turin"] }`,
			[]string{"Error: Unknown leaf turin", "with data.liqo_topology.x, clusters"},
		},
		data + "a central cluster that is not shown": {
			"data \"liqo_topology\" \"x\" {\nclusters = [\"rome\"]\ncentral = \"europe\"\n}",
			[]string{"Error: Not one of the clusters", `with data.liqo_topology.x, central = "europe"`},
		},
		data + "one cluster twice": {
			"data \"liqo_shortcut\" \"x\" {\nclient = \"rome\"\nserver = \"rome\"\n}",
			[]string{"Error: The same leaf twice", `with data.liqo_shortcut.x, server = "rome"`},
		},
		data + "no time at all": {
			"data \"liqo_cluster\" \"x\" {\nname = \"rome\"\ntimeouts = { read = \"0s\" }\n}",
			[]string{"Timeout must be positive", `with data.liqo_cluster.x, timeouts.read = "0s"`},
		},
	} {
		t.Run(name, func(t *testing.T) { l.project(t, test.config).planFails(test.says...) })
	}
}
