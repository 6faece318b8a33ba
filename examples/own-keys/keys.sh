#!/bin/sh
# Creates the WireGuard keys of a gateway on a leaf, in a Secret: keys.sh rome
#
# A Secret has its values in base64, and wg prints keys in base64. So they are not encoded again. The private key is not
# in Terraform's state, and `create`, other than `apply`, keeps no copy of it in an annotation.
set -eu
private=$(wg genkey)
public=$(echo "$private" | wg pubkey)
kubectl --context "$1" create -f - <<SECRET
apiVersion: v1
kind: Secret
metadata:
  namespace: shortcuts
  name: rome-milan-keys
data:
  privateKey: $private
  publicKey: $public
SECRET
