# Waits until it is told to end. The kernel answers the pings meanwhile. Then it reports how many have arrived.

report() {
	while read -r line; do
		case $line in Icmp:*) echo "$line" ;; esac
	done </proc/net/snmp >/dev/termination-log
	kill "$sleeper"
	exit 0
}

trap report TERM
while :; do
	sleep 3600 &
	sleeper=$!
	wait "$sleeper"
done
