// Package accesstest has what tests of credentials and of leaves have in common.
package accesstest

// Kubeconfig has two clusters, rome and milan, with a context for each. That of rome is the current one.
const Kubeconfig = `
apiVersion: v1
kind: Config
current-context: rome
clusters:
- name: rome
  cluster: {server: "https://rome.example:6443"}
- name: milan
  cluster: {server: "https://milan.example:6443"}
users:
- name: admin
  user: {token: s3cret}
- name: guest
  user: {username: guest, password: hunter2}
contexts:
- name: rome
  context: {cluster: rome, user: admin}
- name: milan
  context: {cluster: milan, user: guest}
`
