// Package end is one leaf's end of its network with one other cluster: what Liqo's objects on the leaf shall be, how to
// make them so, how they are, and how to take them away.
//
// An [End] is a leaf, the other cluster, and the owner of what the end makes. Each of Liqo's objects has a file of its
// own: first what it shall be, then what makes it so (Ensure), what shows how it is (Observed, WaitFor), and what takes
// it away (Remove). A method needs credentials for this leaf only. What it needs of the other leaf it takes as a value:
// address ranges, endpoint, key. [Objects] are what the leaf holds.
//
// The package knows nothing of the order in which the two ends of a network are made. That is package shortcut's.
package end
