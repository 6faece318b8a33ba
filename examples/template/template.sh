#!/bin/sh
# Derives a template for gateway servers on Milan from Liqo's own: their pods run only on nodes with a label. Run this
# again after each update of Liqo, because the copy has the images of the version that it was made from.
set -eu
kubectl --context milan -n liqo get wggatewayservertemplates.networking.liqo.io wireguard-server -o json |
    jq '{apiVersion, kind, metadata: {namespace: .metadata.namespace, name: "wireguard-server-edge"}, spec} |
        .spec.template.spec.deployment.spec.template.spec.nodeSelector = {"example.com/edge": "true"}' |
    kubectl --context milan apply -f -
