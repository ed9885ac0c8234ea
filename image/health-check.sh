#!/usr/bin/env bash
# Asks this container's own process whether it is ready: exit code 0 says so, and anything else is shown by `docker inspect`.
#   health-check.sh            asks at once
#   health-check.sh SECONDS    waits first, if the process was ready when it was asked last
# With a pause the engine can ask every second during the start and does next to nothing afterwards. Each time, the engine spends 20 ms
# of processor time, and engines before version 25 have only one interval.
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
