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

# is_alive PID: whether the process is there and runs; one that has ended may wait for its parent for long.
is_alive() {
  grep -q '^State:.[^Z]' "/proc/$1/status" 2> /dev/null
}

# check_table FILE [CONTEXTS]: evaluates what stands before ' → ' in each line, and prints the lines whose value is another than the one behind it.
# CONTEXTS is a JSON object; `error N` stands for a mistake at position N.
check_table() {
  sed 's/ *→ .*//; s/\\/\\\\/g; s/"/\\"/g; s/.*/{"expr":"&","contexts":'"$(printf %s "${2:-{\}}" | sed 's/[&\/\\]/\\&/g')"'}/' "$1" > questions
  penstock eval --lines < questions |
    sed -e 's/^{"value":\(.*\)}$/\1/' -e 's/^{"error":.*"position":\([0-9]*\)}}$/error \1/' > answers
  sed 's/.* → *//' "$1" > wanted
  paste -d '\n' wanted answers | awk -v table="$1" '
    NR % 2 { wanted = $0; getline line < table; next }
    $0 != wanted { print line "   (found: " $0 ")" }'
}

# on_terminal COLUMNS COMMAND…: what a command writes on a terminal of so many columns.
on_terminal() {
  python3 "$CONFORMANCE/terminal.py" "$@"
}

# on_screen COLUMNSxROWS STEPS COMMAND…: runs a command on a terminal, does what the file STEPS says, and shows what a person would see; screen.py has the steps.
on_screen() {
  python3 "$CONFORMANCE/screen.py" "$@"
}

# serve [CERTIFICATE]: starts loopback.py for the rest of the step; its address is in $server. With a certificate it speaks TLS.
serve() {
  rm -f address
  python3 "$CONFORMANCE/loopback.py" "$@" &
  server_pid=$!
  trap 'kill -KILL $server_pid 2> /dev/null' EXIT
  until_file address
  server=$(cat address)
}

# serve_files: serves the directory at the address that a server had, for the rest of the step. Returns when it can be reached.
serve_files() {
  port=${server##*:}
  python3 -m http.server --bind 127.0.0.1 "$port" > /dev/null 2>&1 &
  server_pid=$!
  until python3 -c "import socket; socket.create_connection(('127.0.0.1', $port))" 2> /dev/null; do sleep 0.02; done
}

# recipe NAME: copies examples/recipes/NAME.yaml here. Each recipe needs a case that does this, and runs it.
recipe() {
  cp "$CONFORMANCE/../../examples/recipes/$1.yaml" .
}

# stand_in NAME…: programs of these names, for the rest of the step. What each call is handed is kept, and ends with a line `--`: the arguments, one a line,
# in NAME.arguments, the environment in NAME.environment, standard input in NAME.input. Then NAME.sh does what the program would do, where the case has that
# file: $case is the directory of the case, and $given a file with the standard input.
stand_in() {
  mkdir -p bin
  for name; do
    cat > "bin/$name" <<'END'
#!/bin/sh
name=${0##*/}
case=${0%/bin/*}
given=$case/$name.given.$$
{ printf '%s\n' "$@"; echo --; } >> "$case/$name.arguments"
{ env | sort; echo --; } >> "$case/$name.environment"
cat > "$given"
{ cat "$given"; echo --; } >> "$case/$name.input"
[ ! -e "$case/$name.sh" ] || . "$case/$name.sh"
END
    chmod +x "bin/$name"
  done
  PATH=$PWD/bin:$PATH
}
