# Pings the pods of the other leaf, all at the same time. Packets get lost, so it waits longer for answers of slow nodes.
# $@: the addresses of the pods

for address; do
	say pod "$address" $(summary -c 5 -W 3 "$address") &
done
wait
say end
