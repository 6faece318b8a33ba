# Waits until it is told to end. The kernel answers the pings meanwhile. Then it reports what has arrived.
# $1: URL of the gateway's metrics; may be empty

carried() { # before|after SECONDS...: what the tunnel has carried until now. Each number is how long it waits once more
	[ -n "$metrics" ] || return 0
	when=$1
	shift
	for limit; do
		answer=$(curl -s -m "$limit" "$metrics")
		status=$?
		[ $status != 0 ] || break
	done
	echo "curl-$when $status"
	printf '%s\n' "$answer" | while read -r name value; do
		case $name in
		liqo_peer_receive_bytes_total*) echo "received-$when $value" ;;
		liqo_peer_transmit_bytes_total*) echo "sent-$when $value" ;;
		esac
	done
}

report() {
	{
		echo "$before"
		carried after 5 5
		while read -r line; do
			case $line in Icmp:*) echo "$line" ;; esac
		done </proc/net/snmp
	} >/dev/termination-log
	kill "$sleeper"
	exit 0
}

metrics=$1
trap report TERM
before=$(carried before 4 2) # a prober needs longer until it sends what is to be seen in the counters
while :; do
	sleep 3600 &
	sleeper=$!
	wait "$sleeper"
done
