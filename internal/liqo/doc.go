// Package liqo is what Liqo on a leaf is and shows: [Objects], which are the leaf's objects of its network with one
// other cluster, and what each of them says; the settings of gateways; and facts of the installation, such as its
// version, its capabilities, its ranges and its templates. It changes nothing. Package owner says whose an object is.
package liqo
