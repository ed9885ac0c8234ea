#!/usr/bin/env bash
# Steps of action.yml. Inputs are variables with the names of the action's inputs in upper case.
#   estate.sh start        starts the estate in a container, waits until it is ready, and sets the variables of later steps
#   estate.sh scenarios    runs scenarios of the estate
#   estate.sh report       adds invariants and failed traces to the summary of the job, and writes the report; fails if an invariant does not hold
#   estate.sh stop         removes the container
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
REPORT=${REPORT:-estate-report}

fail() { printf '%s\n' "$@" >&2; exit 1; }
estate() { docker exec --env ESTATE_ADMIN_TOKEN --env ESTATE_BEARER_TOKEN --env ESTATE_API_KEY "$ESTATE_CONTAINER" node command-line/main.ts "$@"; }

# add_to FILE: appends standard input to a file of the runner. Prints it where the runner has none.
add_to() { if [[ -n $1 ]]; then cat >> "$1"; else cat; fi; }

# Prints the image with its own tag or digest, the version of the input, or the version of the action.
image() {
  if [[ ${IMAGE##*/} == *[:@]* ]]; then
    [[ -z ${VERSION:-} ]] || fail "image has a tag or digest, and version is ${VERSION}: leave one of them out."
    echo "$IMAGE"
  else
    echo "$IMAGE:${VERSION:-$(sed -nE 's/^  "version": "(.*)",$/\1/p' "$here/../package.json")}"
  fi
}

start() {
  local mistakes=() line variables name options=() id
  name=$(image)
  while IFS= read -r line; do
    [[ -z $line || $line =~ ^[A-Z][A-Z0-9_]*= ]] || mistakes+=("variables has the line \"$line\": write NAME=value, one variable a line.")
  done <<< "${VARIABLES:-}"
  [[ -z ${FIXTURES:-} || -d $FIXTURES ]] || mistakes+=("fixtures names $FIXTURES, which is not a folder: check out the repository before this action.")
  [[ ${PORT:=8080} =~ ^[0-9]{1,5}$ ]] || mistakes+=("port is $PORT: it takes a number.")
  ((${#mistakes[@]} == 0)) || fail "${mistakes[@]}"

  variables=$(mktemp)
  printf '%s\n' 'ALLOW_DEMO_CREDENTIALS=true' "${VARIABLES:-}" > "$variables"
  if [[ -n ${FIXTURES:-} ]]; then
    echo 'FIXTURES_DIR=/fixtures' >> "$variables"
    options+=(--volume "$(cd "$FIXTURES" && pwd):/fixtures:ro")
  fi
  [[ -z ${TOUCHPOINT_PORT:-} ]] || options+=(--publish "127.0.0.1:$TOUCHPOINT_PORT:15115")
  id=$(docker run --detach --env-file "$variables" --publish "127.0.0.1:$PORT:8080" --add-host host.docker.internal:host-gateway \
    --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges ${options[@]+"${options[@]}"} "$name")
  rm "$variables"
  for _ in {1..240}; do
    if docker exec "$id" bash image/health-check.sh >/dev/null 2>&1; then
      ESTATE_CONTAINER=$id
      {
        echo "ESTATE_CONTAINER=$id"
        estate env --format dotenv --against "http://127.0.0.1:$PORT" | sed -E 's/="(.*)"$/=\1/'
      } | add_to "${GITHUB_ENV:-}"
      return
    fi
    [[ $(docker inspect --format '{{.State.Running}}' "$id") == true ]] || break
    sleep 0.5
  done
  docker logs "$id" >&2 2>&1
  docker rm --force --volumes "$id" >/dev/null
  fail "The estate of $name is not ready. Its log is above."
}

scenarios() {
  local names=() status=0
  read -ra names <<< "$(tr '\n' ' ' <<< "$SCENARIOS")"
  [[ ${names[*]} != all ]] || names=(--all)
  mkdir -p "$REPORT"
  estate rehearse "${names[@]}" --against http://127.0.0.1:8080 --report /tmp/report || status=$?
  docker exec "$ESTATE_CONTAINER" tar -c -C /tmp report | tar -x -C "$REPORT" --strip-components 1
  return "$status"
}

report() {
  local status=0
  mkdir -p "$REPORT"
  estate summary --against http://127.0.0.1:8080 > "$REPORT/estate.md" || status=$?
  estate journal --json --limit 5000 --rehearsal "${ESTATE_REHEARSAL:-default}" --against http://127.0.0.1:8080 > "$REPORT/journal.json" || true
  docker logs "$ESTATE_CONTAINER" > "$REPORT/estate.log" 2>&1
  for part in summary.md estate.md; do
    [[ ! -f $REPORT/$part ]] || add_to "${GITHUB_STEP_SUMMARY:-}" < "$REPORT/$part"
  done
  return "$status"
}

case "${1:-} $#" in
  'start 1') start ;;
  'scenarios 1') scenarios ;;
  'report 1') report ;;
  'stop 1') docker rm --force --volumes "$ESTATE_CONTAINER" >/dev/null ;;
  *) sed -n '3,6s/^#   //p' "$0" >&2; exit 64 ;;
esac
