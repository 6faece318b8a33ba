# Pings the pods of the other leaf, all at the same time. If one does not answer, it finds out how far packets get.
# $1: packets for each pod; $2: the tunnel's MTU; $3: the address of the pod's node; $4: that of the gateway in the
# leaf's overlay, may be empty; $5: for how many seconds it downloads from the first pod, zero for not at all; then the
# addresses of the pods

packets=$1 mtu=$2 node=$3 overlay=$4 seconds=$5
shift 5

# A line is a single write, so lines of several processes do not mix.
say() { echo "$*" >>/dev/termination-log; }

# Some shells have a ping of their own, and take that instead of the PATH's. A path they run as it is.
program() { # NAME: its path
	IFS=:
	for folder in $PATH; do
		[ -x "$folder/$1" ] && echo "$folder/$1" && return
	done
}

summary() { # OPTION... ADDRESS: the packets sent, those answered, the number of the last one of these, the latencies
	"$ping" -n -i 0.2 -W 1 "$@" 2>/dev/null | {
		sent=0 answered=0 last=0 latencies=-
		while read -r first second _ fourth rest; do
			case "$first $second $rest" in
			*' bytes icmp_seq='*)
				number=${rest#icmp_seq=}
				last=${number%% *}
				;;
			*' packets '*) sent=$first answered=$fourth ;;
			rtt*) latencies=$fourth ;;
			esac
		done
		echo "$sent $answered $last $latencies"
	}
}

lasts() { # ADDRESS: whether answers still come. One that lets only the first packets pass does not answer.
	set -- $(summary -c 10 "$1")
	[ "$3" -gt 5 ]
}

passes() { # ADDRESS BYTES: whether an undivided packet of this size is answered; one that is lost is sent again
	size=$(($2 - 28))
	"$ping" -n -q -c 1 -W 1 -M do -s $size "$1" >/dev/null 2>&1 ||
		"$ping" -n -q -c 3 -i 0.2 -W 1 -M do -s $size "$1" >/dev/null 2>&1
}

largest() { # ADDRESS: the size of the largest packet that passes undivided, in bytes; nothing if none does
	if passes "$1" "$mtu"; then
		echo "$mtu"
		return
	fi
	low=84 high=$mtu # a ping of the usual size has 84
	passes "$1" $low || return
	while [ $((high - low)) -gt 1 ]; do
		middle=$(((low + high) / 2))
		if passes "$1" $middle; then low=$middle; else high=$middle; fi
	done
	passes "$1" $low && echo $low # also at the end
}

hop() { # ADDRESS TTL: who answers a packet that may take so many hops
	"$ping" -n -c 2 -i 0.2 -W 1 -t "$2" "$1" 2>/dev/null | while read -r first from _ what; do
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
		"$ping" -n -q -c 5 -i 0.2 -W 1 -s 1000 "$1" >/dev/null 2>&1 &
	done
	wait
}

# Liqo gets to know a pod only when its kubelet has reported it. Until then, what comes to the pod from the gateway takes
# the pod network instead of the overlay. So the first packets say nothing about the state that lasts, and are not
# counted. If nothing is answered any more, they are evidence.
young() { # ADDRESS: the address, and how many of the first packets are answered
	address=$1
	set -- $(summary -c 4 "$address")
	echo " $address=$2"
}

# The hops to the node of the other pod are 4. What is before is the same for all pods, and asked for only once, because a
# kernel limits how many errors it sends to one address: about six at once, then one a second.
probe() { # ADDRESS: returns 1 if nothing is answered any more, and 2 if no large packet is
	early=${youngs#*" $1="}
	set -- "$1" "${early%%[!0-9]*}" $(summary -c "$packets" "$1")
	say pod "$1" "$3" "$4" "$5" "$6"
	if [ "$5" = "$3" ] || lasts "$1"; then
		found=$(largest "$1")
		if [ -n "$found" ]; then
			say largest "$1" "$found"
			[ "$found" = "$mtu" ] || return 2
			return
		fi
		if lasts "$1"; then
			return 2
		fi
	fi
	say silent "$1" "$2"
	say hops "$1" $(hops "$1" 4)
	push "$1"
	return 1
}

ping=$(program ping)
if [ -z "$ping" ]; then
	say error there is no ping in "$PATH"
	exit 1
fi
# Before all else: the pod gets older.
youngs=$(for address; do young "$address" & done; wait)
# Without this, nothing would mean anything: a ping that knows these options, and may send.
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
	say hops "$silent" $(hops "$silent" 1 2)
fi
if [ -z "$failed" ] && [ "$seconds" -gt 0 ]; then
	say bytes "$1" "$(curl -s --http0.9 -o /dev/null -m "$seconds" -w '%{size_download} %{time_total}' "http://$1:5201/")"
fi
if [ -n "$failed" ]; then
	say node "$node" $(summary -c 5 "$node")
fi
if [ -n "$failed" ] && [ -n "$overlay" ]; then
	set -- "$overlay" $(summary -c 5 "$overlay")
	say overlay "$@"
	[ "$3" = 0 ] || say largest "$1" "$(largest "$1")"
fi
say end
