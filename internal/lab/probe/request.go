package probe

// Request says what to probe. One program asks another for it, in JSON.
type Request struct {
	// Kind is ping, http, udp or flow.
	Kind string
	// Target is a URL for http, and otherwise an IPv4 address.
	Target string
	// Options are those of all kinds but flow.
	Options Options
	// Size and Whole are those of a ping; see [Ping].
	Size  int
	Whole bool
	// Flow are the options of a flow.
	Flow FlowOptions
	// Announce says on stderr when the first answer has come.
	Announce bool
	// StopOnStdinEOF ends the probe at the end of stdin, too.
	StopOnStdinEOF bool
}
