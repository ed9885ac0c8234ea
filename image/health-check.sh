#!/usr/bin/env bash
# Requests /readyz of the process in this container: exit code 0 means ready. `docker inspect` shows any other outcome.
#   health-check.sh            checks immediately
#   health-check.sh SECONDS    waits first, if the process was ready at the last check
# With a wait, checks are frequent during the start and rare afterwards. Each check costs 20 ms of processor time, and engines before
# version 25 have only one interval.
was_ready=${TMPDIR:-/tmp}/was-ready
[[ -z ${1:-} || ! -e $was_ready ]] || sleep "$1"
rm -f "$was_ready"
case ${SERVICE:-gateway} in
  gateway) port=${GATEWAY_PORT:-8080} ;;
  touchpoint-mock) port=${TOUCHPOINT_PORT:-15115} ;;
  *) port=${PORT:-8080} ;;
esac
exec 3<>"/dev/tcp/127.0.0.1/$port" || exit 1
printf 'GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3
read -r -t 5 -u 3 _ status _ || { echo "Nothing answered within five seconds on port $port."; exit 1; }
if [[ $status == 200 ]]; then
  [[ -z ${1:-} ]] || touch "$was_ready"
  exit 0
fi
mapfile -t answer <&3
echo "$status ${answer[-1]}"
exit 1
