# Pings the pods of the other leaf, all at the same time. If one does not answer, it finds out how far packets get.
# $1: packets for each pod; $2: the tunnel's MTU; $3: the address of the pod's node; $4: that of the gateway in the
# leaf's overlay, may be empty; $5: for how many seconds it downloads from the first pod, zero for not at all; then the
# addresses of the pods

packets=$1 mtu=$2 node=$3 overlay=$4 seconds=$5
shift 5

# A line is a single write, so lines of several processes do not mix.
say() { echo "$*" >>/dev/termination-log; }

summary() { # OPTION... ADDRESS: the packets sent, those answered, and the latencies
	ping -n -q -i 0.2 -W 1 "$@" 2>/dev/null | {
		sent=0 answered=0 latencies=-
		while read -r first second _ fourth _; do
			case "$first $second" in
			*' packets') sent=$first answered=$fourth ;;
			rtt*) latencies=$fourth ;;
			esac
		done
		echo "$sent $answered $latencies"
	}
}

passes() { # ADDRESS BYTES: whether an undivided packet of this size is answered; one that is lost is sent again
	for _ in 1 2; do
		ping -n -q -c 1 -W 1 -M do -s $(($2 - 28)) "$1" >/dev/null 2>&1 && return
	done
	return 1
}

largest() { # ADDRESS: the size of the largest packet that passes undivided, in bytes
	low=28 high=$((mtu + 1))
	passes "$1" "$mtu" && low=$mtu
	while [ $((high - low)) -gt 1 ]; do
		middle=$(((low + high) / 2))
		if passes "$1" $middle; then low=$middle; else high=$middle; fi
	done
	echo "$low"
}

hop() { # ADDRESS TTL: who answers a packet that may take so many hops
	ping -n -c 2 -i 0.2 -W 1 -t "$2" "$1" 2>/dev/null | while read -r first from _ what; do
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

push() { # ADDRESS: enough packets to see them in the tunnel's counters
	for _ in 1 2 3 4; do
		ping -n -q -c 5 -i 0.2 -W 1 -s 1000 "$1" >/dev/null 2>&1 &
	done
	wait
}

# The hops to the node of the other pod are 4. What is before is the same for all pods, and asked for only once, because a
# kernel limits how many errors it sends to one address: about six at once, then one a second.
probe() { # ADDRESS: returns 1 if no packet is answered, and 2 if no large one is
	set -- "$1" $(summary -c "$packets" "$1")
	say pod "$@"
	if [ "$3" = 0 ]; then
		say hops "$1" $(hops "$1" 4)
		push "$1"
		return 1
	fi
	size=$(largest "$1")
	say largest "$1" "$size"
	[ "$size" = "$mtu" ] || return 2
}

# Without this, nothing else would mean anything: a ping that knows these options, and may send.
if ! why=$(ping -n -q -c 1 -W 1 -M do -s 28 127.0.0.1 2>&1); then
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
	say hops "$silent" $(hops "$silent" 1 2)
fi
if [ -z "$failed" ] && [ "$seconds" -gt 0 ]; then
	say bytes "$1" "$(curl -s --http0.9 -o /dev/null -m "$seconds" -w '%{size_download} %{time_total}' "http://$1:5201/")"
fi
if [ -n "$failed" ]; then
	say node "$node" $(summary -c 3 "$node")
fi
if [ -n "$failed" ] && [ -n "$overlay" ]; then
	set -- "$overlay" $(summary -c 3 "$overlay")
	say overlay "$@"
	[ "$3" = 0 ] || say largest "$1" "$(largest "$1")"
fi
say end
