# Pings the pods of the other leaf, all at the same time. If one does not answer, it finds out how far packets get.
# $1: packets for each pod; $2: the tunnel's MTU; $3: the address of the pod's node; $4: that of the gateway in the
# leaf's overlay, may be empty; then the addresses of the pods

packets=$1 mtu=$2 node=$3 overlay=$4
shift 4

# These count in $pings how many pings they send, because a listener knows only how many have arrived.

lasts() { # ADDRESS: whether answers still come. One that lets only the first packets pass does not answer.
	pings=$((pings + 10))
	set -- $(summary -c 10 "$1")
	[ "$3" -gt 5 ]
}

passes() { # ADDRESS BYTES: whether an undivided packet of this size is answered; one that is lost is sent again
	size=$(($2 - 28))
	pings=$((pings + 1))
	"$ping" -n -q -c 1 -W 1 -M do -s $size "$1" >/dev/null 2>&1 && return
	pings=$((pings + 3))
	"$ping" -n -q -c 3 -i 0.2 -W 1 -M do -s $size "$1" >/dev/null 2>&1
}

largest() { # ADDRESS: sets $found to the size of the largest packet that passes undivided, in bytes; 0 if none does
	found=$mtu
	passes "$1" "$mtu" && return
	found=0
	low=84 high=$mtu # a ping of the usual size has 84
	passes "$1" $low || return
	while [ $((high - low)) -gt 1 ]; do
		middle=$(((low + high) / 2))
		if passes "$1" $middle; then low=$middle; else high=$middle; fi
	done
	if passes "$1" $low; then found=$low; fi # also at the end
	if passes "$1" "$mtu"; then found=$mtu; fi # only lost before
}

hop() { # ADDRESS TTL: who answers a packet that may take so many hops
	"$ping" -n -c 4 -i 0.2 -W 1 -t "$2" "$1" 2>/dev/null | while read -r first from _ what; do
		case "$first $what" in
		'From '*exceeded) echo "$2=$from" ;;
		'From '*) echo "$2!$from" ;;
		esac
	done
}

hops() { # ADDRESS TTL...: who answers, for each number of hops
	address=$1
	shift
	for ttl; do
		hop "$address" "$ttl" &
	done
	wait
}

# Liqo has known the pod for a moment only, and may still be making its route to it. Until then, what comes to the pod
# from the gateway takes the pod network instead of the overlay, or is dropped there. So the first packets say nothing
# about the state that lasts, and are not counted. They go on until one is answered, but not without end.
first() { # ADDRESS: the address, and how many packets there are
	address=$1 pings=0
	while [ $pings -lt 12 ]; do
		pings=$((pings + 4))
		set -- $(summary -c 4 "$address")
		[ "$3" != 4 ] || break
	done
	echo " $address=$pings"
}

# The hops to the node of the other pod are 4. What is before is the same for all pods, and asked for only once, because
# a kernel limits how many errors it sends to one address: about six at once, then one a second.
probe() { # ADDRESS: returns 1 if nothing is answered any more, and 2 if no large packet is
	address=$1 pings=${firsts#*" $1="}
	pings=$((${pings%%[!0-9]*} + packets))
	set -- $(summary -c "$packets" "$address")
	say pod "$address" "$@"
	if [ "$3" = "$1" ] || lasts "$address"; then
		largest "$address"
		if [ $found != 0 ] || lasts "$address"; then
			say largest "$address" $found $pings
			[ $found = "$mtu" ] || return 2
			return
		fi
	fi
	set -- $(hops "$address" 4)
	say silent "$address" $pings
	say hops "$address" "$@"
	return 1
}

firsts=$(for address; do first "$address" & done; wait)
# Without this, nothing would mean anything: a ping that knows these options, and may send. The listener counts it.
if ! why=$("$ping" -n -q -c 1 -W 1 -M do -s 28 127.0.0.1 2>&1); then
	say error "$why"
	exit 1
fi

read -r own </sys/class/net/eth0/mtu && say mtu "$own"
if [ "${own:-$mtu}" -lt "$mtu" ]; then mtu=$own; fi
probes=
for address; do
	probe "$address" &
	probes="$probes $!"
done
failed= silent=
for one in $probes; do
	wait "$one"
	case $? in
	0) ;;
	1) failed=yes silent=${silent:-$1} ;;
	*) failed=yes ;;
	esac
	set -- "$@" "$1" # the next pod comes first; at the end, all are where they were
	shift
done
if [ -n "$silent" ]; then
	say hops "$silent" $(hops "$silent" 1 2) &
fi
if [ -n "$failed" ]; then
	say node "$node" $(summary -c 5 "$node") &
fi
if [ -n "$failed" ] && [ -n "$overlay" ]; then
	set -- $(summary -c 5 "$overlay")
	say overlay "$overlay" "$@"
	if [ "$2" != 0 ]; then
		largest "$overlay"
		say largest "$overlay" $found 0
	fi
fi
wait
say end
