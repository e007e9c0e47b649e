import Glibc
import OperatingSystem

extension DocumentReader {
  /// Reads a site's file from its root node.
  func site(_ root: YAMLNode, path: String) -> SiteDefinition {
    var site = SiteDefinition(path: path)
    readKeys(of: root, SiteKey.table, what: "a site's file", except: PipelineKey.isOwn) { _, _, entry in
      guard let entries = entry.value.entries else {
        return wrongForm(entry.value, "'executors'", needs: "a mapping of names")
      }
      for executor in entries {
        guard checkName(executor.name, .operation, "an executor's name", at: executor.key.range) else { continue }
        if executor.name == ExecutorUse.local {
          error(.reservedName, "'local' always is this computer", at: executor.key.range)
          continue
        }
        readKeys(of: executor.value, SiteExecutorKey.table, what: "the executor '\(executor.name)'") { _, _, entry in
          site.clusters.append(cluster(executor, entry.value))
        }
        if executor.value.entries != nil, isMissing("slurm", in: executor.value) {
          error(.missingKey, "the executor '\(executor.name)' needs 'slurm'", at: executor.key.range)
        }
      }
    }
    if root.entries != nil, isMissing("executors", in: root) {
      error(.missingKey, "a site's file needs 'executors'", at: root.range)
    }
    return site
  }

  private func cluster(_ executor: YAMLEntry, _ node: YAMLNode) -> SiteDefinition.Cluster {
    var cluster = SiteDefinition.Cluster(name: executor.name, range: executor.key.range)
    readKeys(of: node, SlurmKey.table) { key, _, entry in
      let value = entry.value
      switch key {
      case .shared: if let path = absolutePath(value, "'shared'") { cluster.shared = path }
      case .program: if let path = absolutePath(value, "'program'") { cluster.program = path }
      case .partition: cluster.defaults[.partition] = executorValues(value, .partition)
      case .account: cluster.defaults[.account] = executorValues(value, .account)
      case .qos: cluster.defaults[.qos] = executorValues(value, .qos)
      case .defaults:
        readKeys(of: value, SlurmDefaultKey.table) { key, _, entry in
          guard let setting = ExecutorUse.Setting(rawValue: key.rawValue) else { return }
          cluster.defaults[setting] = executorValues(entry.value, setting)
        }
      case .limits: cluster.limits = siteLimits(value)
      case .options: cluster.options = submitOptions(value)
      case .pass:
        cluster.pass = texts(value, "'pass'", allowsOne: false).compactMap { checkVariable($0.node) ? $0.text : nil }
      case .queue: cluster.queue = siteQueue(value)
      case .small: break
      }
    }
    if node.entries != nil, isMissing("shared", in: node) {
      error(.missingKey, "'slurm' needs 'shared', a directory that every node sees", at: executor.key.range)
    }
    if cluster.program.isEmpty, node.entries != nil, isMissing("program", in: node) {
      let own = Self.ownProgram
      if FileSystem.networkName(at: own) != nil {
        cluster.program = own
      } else {
        error(
          .missingKey, "'slurm' needs 'program', because '\(own)' is not on a network file system",
          at: executor.key.range, fix: "install penstock where every node sees it, and write its path under 'program'")
      }
    }
    return cluster
  }

  /// The `penstock` of this process, which may be the host's program beside it.
  private static var ownProgram: String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let path = String(decoding: buffer[..<max(0, count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return path.hasSuffix("/penstock-host") ? String(path.dropLast("-host".count)) : path
  }

  private func absolutePath(_ node: YAMLNode, _ what: String) -> String? {
    guard let path = plainText(node, what) else { return nil }
    guard path.hasPrefix("/"), !path.utf8.contains(where: { $0 == 0 || $0 == 10 }) else {
      wrongForm(node, what, needs: "an absolute path")
      return nil
    }
    return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  private func siteLimits(_ node: YAMLNode) -> [ExecutorUse.Setting: Int] {
    var limits: [ExecutorUse.Setting: Int] = [:]
    readKeys(of: node, SlurmLimitKey.table) { key, _, entry in
      switch key {
      case .cpus: limits[.cpus] = int(entry.value, "'cpus'", minimum: 1)
      case .memory: limits[.memory] = executorMemory(entry.value, "'memory'")
      case .time: limits[.time] = duration(entry.value, "'time'", allowsZero: false).map(Self.minutes)
      case .gpus: limits[.gpus] = int(entry.value, "'gpus'", minimum: 1)
      }
    }
    return limits
  }

  private func siteQueue(_ node: YAMLNode) -> SiteDefinition.Queue {
    var queue = SiteDefinition.Queue()
    readKeys(of: node, SlurmQueueKey.table) { key, _, entry in
      let value = entry.value
      switch key {
      case .most: if let most = int(value, "'most'", minimum: 1) { queue.most = most }
      case .array: if let array = int(value, "'array'", minimum: 1, maximum: 1_000_000) { queue.array = array }
      case .window: if let window = duration(value, "'window'") { queue.window = window }
      case .calls: if let interval = callInterval(value) { queue.interval = interval }
      case .poll: if let poll = duration(value, "'poll'", allowsZero: false) { queue.poll = poll }
      }
    }
    return queue
  }

  /// Reads a rate: `2/s`, `30/m`.
  private func callInterval(_ node: YAMLNode) -> Duration? {
    guard let text = plainText(node, "'calls'") else { return nil }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let units = ["s": Duration.seconds(1), "m": .seconds(60)]
    guard parts.count == 2, let number = Int(parts[0]), (1...1000).contains(number), let unit = units[String(parts[1])]
    else {
      wrongForm(node, "'calls'", needs: "a number of calls, such as 2/s or 30/m")
      return nil
    }
    return unit / number
  }

  /// The options of `sbatch` that the executor sets, with their short forms and the key that says the same.
  private static let ownOptions: [(names: [String], key: String?)] = [
    (["--array", "-a"], "for_each"), (["--output", "-o"], nil), (["--error", "-e"], nil), (["--input", "-i"], "stdin"),
    (["--export", "--export-file"], "env"), (["--job-name", "-J"], nil), (["--requeue"], "retry"),
    (["--no-requeue"], "retry"), (["--wrap"], "run"), (["--parsable"], nil), (["--chdir", "-D"], "directory"),
    (["--cpus-per-task", "-c"], "cpus"), (["--mem", "--mem-per-cpu"], "memory"), (["--time", "-t"], "time"),
    (["--partition", "-p"], "partition"), (["--account", "-A"], "account"), (["--qos", "-q"], "qos"),
    (["--gres"], "gres"), (["--wait", "-W"], nil), (["--test-only"], nil), (["--nodes", "-N"], nil),
    (["--ntasks", "-n"], nil), (["--clusters", "-M"], nil), (["--open-mode"], nil), (["--quiet", "-Q"], nil),
  ]

  /// The options with which `sbatch` does something else.
  private static let otherTasks = ["--help", "--usage", "--version", "-h", "-V"]

  private func submitOptions(_ node: YAMLNode) -> [String] {
    texts(node, "'options'", allowsOne: false).compactMap { text, item in
      let name = String(text.prefix { $0 != "=" })
      let option = name.hasPrefix("--") ? name : String(name.prefix(2))
      // sbatch accepts the beginning of a name, as long as it is not ambiguous.
      let isShortened = option.hasPrefix("--") && option.utf8.count > 3
      func names(_ known: String) -> Bool { known == option || isShortened && known.hasPrefix(option) }
      if let own = Self.ownOptions.first(where: { $0.names.contains(where: names) }) {
        error(
          .misplacedKey, "'\(option)' is set by penstock itself", at: item.range,
          fix: own.key.map { "the key '\($0)' says it" } ?? "remove it")
        return nil
      }
      guard !Self.otherTasks.contains(where: names) else {
        error(.misplacedKey, "with '\(option)', sbatch submits nothing", at: item.range, fix: "remove it")
        return nil
      }
      guard text.hasPrefix("-"), text.count > 1, text != "--", !text.utf8.contains(0) else {
        wrongForm(item, "an entry of 'options'", needs: "one option, with its value after '='")
        return nil
      }
      return text
    }
  }
}
