# Pings the pods of the other leaf, all at the same time.
# $@: the addresses of the pods

for address; do
	say pod "$address" $(summary -c 5 "$address") &
done
wait
say end
