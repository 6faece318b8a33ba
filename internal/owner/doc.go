// Package owner says whose an object of a network is. It writes and reads the marks of ownership on objects that the
// caller has: it has no client. Its functions change an object in memory only.
package owner
