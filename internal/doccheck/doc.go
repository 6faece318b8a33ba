// Package doccheck has the tests of the documentation that need no cluster: links and form. It has no other code.
package doccheck
