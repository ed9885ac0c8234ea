# Functions for the tutorials, for bash and zsh. Load them in the folder of the repository:  . docs/tutorials/shell.sh
# The environment variable ESTATE_URL is the address of the gateway.

ESTATE_URL=${ESTATE_URL:-http://127.0.0.1:8080}
rehearsal=default
tutorials=$PWD/docs/tutorials

# in_rehearsal NAME: creates or resets the rehearsal. The following calls use it.
in_rehearsal() {
  rehearsal=$1
  case $(control POST /reset) in
    *unknown_rehearsal*) rehearsal=default control POST /rehearsals "{\"name\":\"$1\"}" ;;
    '') return 1 ;;
  esac > /dev/null
}

# api METHOD PATH [BODY]: calls an API. control METHOD PATH [BODY]: calls the control plane. carrier METHOD PATH [BODY]: calls the carrier.
api() { send "$1" "$ESTATE_URL$2" 'Authorization: Bearer demo-integration-token' "${3-}"; }
control() { send "$1" "$ESTATE_URL/_control$2" 'Authorization: Bearer demo-control-token' "${3-}"; }
carrier() { send "$1" "$ESTATE_URL$2" 'X-API-Key: demo-carrier-key' "${3-}"; }
send() {
  case $2 in
    *[!:]//* | */) echo "The path of $1 $2 lacks an id, because an earlier command failed. Repeat that command first." >&2 && return 1 ;;
  esac
  if ! curl -sS -X "$1" "$2" -H "$3" -H "X-Rehearsal: $rehearsal" -H 'Content-Type: application/json' ${4:+--data} ${4:+"$4"}; then
    echo "No estate answers at $ESTATE_URL. Start it with npm start, or set ESTATE_URL to its address." >&2
    return 1
  fi
  echo
}

# show [MEMBER…]: reads JSON and prints the members, or all of it. A refusal is always printed as status, code and detail. No answer is a failure.
show() { node "${tutorials}/members.mjs" "$@"; }
# keep MEMBER…: prints the members as `show` does, and returns the value of the first for a variable. It fails without a value.
keep() { node "${tutorials}/members.mjs" --keep "$@"; }
