// Package explain turns what a leaf shows of its network with another cluster into what users read: the cause, the evidence of it, and what to do.
//
// [Wait], [Deletion] and [Down] look for causes. They run the list of explanations, each of which knows one thing that can be wrong, and how that shows on the leaf.
// [Summary] and [Detail] tell of any error: of the causes that were found, each once, of the [Problem] that a check has met, and of what an API server has answered.
package explain
