/// The keys of GitHub Actions, Dagu, Kestra, GitLab and Argo with their Penstock equivalents, for suggestions at unknown keys.
///
/// A word that resembles one of Penstock's keys needs no entry.
enum FamiliarKeys {
  /// Returns the key among `keys` that does what users expect of `key`; nil if none is known.
  static func own(for key: String, among keys: [String]) -> String? {
    let word = key.lowercased().filter { $0 != "-" && $0 != "_" }
    return table[word]?.first(where: keys.contains)
  }

  /// Returns how to achieve what users expect of `key` if no key does it; nil if nothing is known.
  static func advice(for key: String, among keys: [String]) -> String? {
    let word = key.lowercased().filter { $0 != "-" && $0 != "_" }
    if keys.contains("controllers"), triggers.contains(word) {
      return "write 'controllers: [{uses: cron, with: {schedule: \"0 3 * * *\"}}]'"
    }
    return advice[word]
  }

  /// What starts runs, by the words of others. The key alone would leave its form open.
  private static let triggers: Set<String> = ["triggers", "trigger", "schedule", "schedules", "cron", "crontab", "on"]

  static let advice: [String: String] = [
    "container": "run it with 'command: [docker, run, --rm, IMAGE, …]'",
    "image": "run it with 'command: [docker, run, --rm, IMAGE, …]'",
    "docker": "run it with 'command: [docker, run, --rm, IMAGE, …]'",
    "services": "start and stop them with operations and handlers",
    "timezone": "set the zone of the schedule: 'controllers: [{ uses: cron, with: { schedule: …, zone: … } }]'",
    "tz": "set the zone of the schedule: 'controllers: [{ uses: cron, with: { schedule: …, zone: … } }]'",
    "runson": "all operations run on this computer; 'resources' limits how many at once",
  ]

  /// The equivalents by lowercase word without hyphens. If a word has several, the first key that is valid at the place is suggested.
  static let table: [String: [String]] = [
    "id": ["name"], "title": ["name"], "summary": ["description"], "tags": ["labels"], "tag": ["labels"],
    "annotations": ["labels"],
    "includes": ["include"], "import": ["include"], "imports": ["include"], "inherit": ["extends"],
    "inherits": ["extends"], "template": ["extends", "templates"], "templateref": ["extends"],
    "steps": ["operations"], "jobs": ["operations"], "tasks": ["operations"], "stages": ["operations"],
    "parameters": ["params"], "inputs": ["inject", "params"], "input": ["inject"], "arguments": ["inject", "params"],
    "variables": ["env"], "environment": ["env"], "envfile": ["env_file"], "envfiles": ["env_file"],
    "dotenv": ["env_file"],
    "paramsfiles": ["params_file"], "paramfile": ["params_file"], "varsfile": ["params_file"],
    "varsfiles": ["params_file"],
    "finally": ["after"], "handleron": ["after"], "hooks": ["after"], "onfailure": ["after"], "onexit": ["after"],
    "pool": ["queue", "resources"], "restartpolicy": ["on_restart"], "startingdeadlineseconds": ["start_within"],
    "misfiregracetime": ["start_within"],
    "maxactiveruns": ["concurrency"], "maxparallel": ["concurrency"], "parallelism": ["concurrency"],
    "script": ["run"], "bash": ["run"], "sh": ["run"], "cmd": ["command"], "exec": ["command"], "args": ["command"],
    "dependson": ["needs"], "depends": ["needs"], "dependencies": ["needs"],
    "if": ["when"], "condition": ["when"], "precondition": ["when"], "preconditions": ["when"],
    "continueonerror": ["allow_failure"], "continueon": ["allow_failure"], "ignoreerrors": ["allow_failure"],
    "ignorefailure": ["allow_failure"],
    "retries": ["retry"], "retrypolicy": ["retry"], "attempts": ["limit", "retry"], "maxattempts": ["limit", "retry"],
    "maxretries": ["limit", "retry"], "interval": ["base", "every"], "delay": ["base", "every"],
    "initialdelay": ["base"], "maxdelay": ["max"], "maxinterval": ["max"],
    "timeoutminutes": ["timeout"], "timeoutseconds": ["timeout"], "timeoutsec": ["timeout"], "timelimit": ["timeout"],
    "workingdirectory": ["directory"], "workingdir": ["directory"], "workdir": ["directory"], "cwd": ["directory"],
    "dir": ["directory"],
    "foreach": ["for_each"], "withitems": ["for_each"], "loop": ["for_each"], "items": ["in", "for_each"],
    "strategy": ["matrix"], "mutex": ["exclusive"], "lock": ["exclusive"],
    "artifact": ["artifacts"], "output": ["result"], "outputs": ["result"], "returns": ["result"],
  ]
}
