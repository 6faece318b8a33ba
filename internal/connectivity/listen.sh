# Waits until it is told to end. The kernel answers the pings meanwhile. Then it reports what has arrived.
# $1: URL of the gateway's metrics; may be empty
# $2: how many blocks of 64 KiB it sends to whoever asks on port 5201; zero for none

carried() { # before|after: what the tunnel has carried until now
	[ -n "$metrics" ] || return 0
	curl -s -m 2 "$metrics" | while read -r name value; do
		case $name in
		liqo_peer_receive_bytes_total*) echo "received-$1 $value" ;;
		liqo_peer_transmit_bytes_total*) echo "sent-$1 $value" ;;
		esac
	done
}

report() {
	{
		echo "$before"
		carried after
		while read -r line; do
			case $line in Icmp:*) echo "$line" ;; esac
		done </proc/net/snmp
	} >/dev/termination-log
	kill "$sleeper"
	exit 0
}

metrics=$1
trap report TERM
if [ "$2" -gt 0 ]; then
	while :; do
		dd if=/dev/zero bs=65536 count="$2" 2>/dev/null | nc -l -p 5201 >/dev/null 2>&1
	done &
fi
before=$(carried before)
while :; do
	sleep 3600 &
	sleeper=$!
	wait "$sleeper"
done
