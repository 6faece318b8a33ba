// Package end is one leaf's end of its network with one other cluster. It creates, changes, observes and removes Liqo's
// objects on the leaf.
//
// An [End] consists of a leaf, the other cluster, and the owner of the objects that the end creates. Each of Liqo's
// objects has a file of its own: first the wanted object, then the methods that create or change it (Ensure), that read
// it (Observed, WaitFor), and that remove it (Remove). A method needs credentials for this leaf only. It takes the
// facts of the other leaf as values: address ranges, endpoint, key.
//
// The package does not know the order in which the two ends of a network are created. Package shortcut does.
package end
