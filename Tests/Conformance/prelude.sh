# Functions for the steps of conformance cases. They wait for what has happened, never for a while.

# until_true SQL: waits until the query over the history answers 1.
until_true() {
  tries=0
  until [ "$(penstock history sql --csv "$1" 2>/dev/null | tail -n 1)" = 1 ]; do
    tries=$((tries + 1))
    if [ "$tries" -ge 400 ]; then
      echo "gave up waiting until: $1" >&2
      exit 99
    fi
    sleep 0.02
  done
}

# until_operation NAME STATE: waits until an operation of that name is in that state in any run.
until_operation() {
  until_true "SELECT count(*) > 0 FROM operations WHERE operation = '$1' AND state = '$2'"
}

# until_file PATH: waits until there is such a file.
until_file() {
  tries=0
  until [ -e "$1" ]; do
    tries=$((tries + 1))
    if [ "$tries" -ge 1000 ]; then
      echo "gave up waiting for the file $1" >&2
      exit 99
    fi
    sleep 0.01
  done
}

# start ARGUMENTS: penstock in the background, its id in $pid. A shell without job control would let it ignore SIGINT.
start() {
  env --default-signal=INT,QUIT penstock "$@" &
  pid=$!
}
