# Pings the pods of the other leaf, all at the same time. Packets get lost, so it waits longer for answers of slow nodes.
# $1: the address of the gateway in the overlay, or nothing
# $@: the addresses of the pods

overlay=$1
shift
if [ -n "$overlay" ]; then
	say overlay "$overlay" $(summary -c 5 -W 3 "$overlay") &
fi
for address; do
	say pod "$address" $(summary -c 5 -W 3 "$address") &
done
wait
say end
