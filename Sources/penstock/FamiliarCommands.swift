/// Maps commands of make, Airflow, Dagu, Kubernetes, Docker and GitHub's tool to those of Penstock, for the message about an unknown command.
///
/// A word similar to one of Penstock's commands needs no entry here.
enum FamiliarCommands {
  /// Returns the command to use instead of `word`; nil if none is known.
  static func own(for word: String) -> String? { table[word.lowercased()] }

  static let table: [String: String] = [
    "ls": "list", "pipelines": "list", "dags": "list", "workflows": "list",
    "ps": "top", "htop": "top",
    "jobs": "history list", "runs": "history list",
    "describe": "history show", "show": "history show", "view": "history show",
    "get": "history show",
    "stats": "history stats", "diff": "history diff", "sql": "history sql", "query": "history sql",
    "export": "history export", "import": "history import", "vacuum": "history vacuum",
    "prune": "history prune", "clean": "history prune", "gc": "history prune", "purge": "history prune",
    "rm": "history prune", "delete": "history prune", "watch": "history watch", "events": "history watch",
    "rerun": "retry", "restart": "retry", "redo": "retry", "replay": "retry", "continue": "resume",
    "validate": "check", "lint": "check", "verify": "check", "compile": "check", "test": "run FILE --dry-run",
    "plan": "run FILE --dry-run", "dry-run": "run FILE --dry-run",
    "exec": "run", "execute": "run", "trigger": "start", "submit": "run", "apply": "run",
    "dev": "run --watch",
    "server": "serve", "daemon": "serve", "scheduler": "serve", "host": "serve", "suspend": "pause",
    "enable": "unpause",
    "disable": "pause", "enqueue": "start",
    "stop": "cancel", "kill": "cancel --kill", "abort": "cancel", "terminate": "cancel",
    "download": "artifacts", "artifact": "artifacts", "tail": "logs --follow", "log": "logs", "why": "explain",
    "answer": "approve", "confirm": "approve", "reject": "approve --reject", "deny": "approve --reject",
    "new": "init", "create": "init", "dag": "graph", "dot": "graph --format dot", "visualize": "graph",
    "cron": "schedule next", "next": "schedule next", "plugin": "plugins list", "health": "doctor",
    "version": "--version",
    "completion": "completions",
  ]
}
