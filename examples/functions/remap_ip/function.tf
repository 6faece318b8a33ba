# Where Rome reaches the pod 10.1.3.4 of Milan, if Rome remaps Milan's pods from 10.1.0.0/16 to 10.71.0.0/16.
output "milan_pod_seen_from_rome" {
  value = provider::liqo::remap_ip("10.1.3.4", "10.1.0.0/16", "10.71.0.0/16") # "10.71.3.4"
}
