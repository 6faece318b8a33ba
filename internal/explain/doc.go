// Package explain turns the state of a leaf into the text of an error: the cause of a problem, the evidence for it, and
// what to do.
//
// [Wait], [Deletion] and [Down] look for causes. They run a list of explanations. Each explanation knows one problem
// and how the problem shows on the leaf. [Summary] and [Detail] return the text of any error: of the causes, each once,
// of the [trouble.Problem] that a check has returned, and of the answer of an API server.
package explain
