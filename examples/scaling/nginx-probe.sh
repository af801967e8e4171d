#!/bin/sh
# Asks instances every second whether they are ready, for nginx.conf. DIR/NAME.down exists while one is not.
#
#   nginx-probe.sh /run/penknife 1=penknife-1:8080 2=penknife-2:8080
set -u
directory=$1
shift

probe() {
  while :; do
    if curl -sf -m 2 -o /dev/null "http://$2/ready"; then rm -f "$directory/$1.down"; else : >"$directory/$1.down"; fi
    sleep 1
  done
}

probes=
trap 'kill $probes; exit' TERM INT
for instance; do
  probe "${instance%%=*}" "${instance#*=}" &
  probes="$probes $!"
done
wait
