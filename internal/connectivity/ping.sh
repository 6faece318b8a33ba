# How pods of a test ping, and say what came back. The script of a pod follows.

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

ping=$(program ping)
if [ -z "$ping" ]; then
	say error there is no ping in "$PATH"
	exit 1
fi
