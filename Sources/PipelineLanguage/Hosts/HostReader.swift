import OperatingSystem

extension DocumentReader {
  /// Reads a host's file from its root node.
  func host(_ root: YAMLNode) -> HostDefinition {
    var host = HostDefinition()
    var queues: YAMLEntry?
    readKeys(of: root, HostKey.table, what: "a host's file", except: PipelineKey.isOwn) { key, _, entry in
      let value = entry.value
      switch key {
      case .pipelines:
        let folders = folders(value)
        host.pipelines = folders.map(\.path)
        host.keys.pipelines = folders.map(\.range)
      case .workspace: host.workspace = hostPath(value, "'workspace'")
      case .limits: host.limits = limits(value)
      case .queues: queues = entry
      case .resources:
        host.resources = hostResources(value)
        host.keys.resources = entry.key.range
      case .environment: host.environment = hostEnvironment(value)
      case .onRestart: if let policy = choice(value, "'on_restart'", RestartPolicy.self) { host.onRestart = policy }
      case .drain: if let drain = duration(value, "'drain'") { host.drain = drain }
      case .retention: host.retention = retention(value)
      case .env, .concurrency: break
      }
    }
    // `limits` supplies the defaults of queues, but may come after them.
    if let queues { host.keys.queues = queues.key.range }
    host.queues = queues.map { hostQueues($0.value, limits: host.limits) } ?? []
    if host.queue(nil) == nil {
      host.queues.insert(HostDefinition.Queue(name: HostDefinition.Queue.standard, runs: host.limits.runs), at: 0)
    }
    return host
  }

  private func limits(_ node: YAMLNode) -> HostDefinition.Limits {
    var limits = HostDefinition.Limits()
    readKeys(of: node, HostLimitKey.table) { key, _, entry in
      guard let number = int(entry.value, "'\(key.rawValue)'", minimum: 1, maximum: HostLimitKey.largest) else {
        return
      }
      switch key {
      case .runs: limits.runs = number
      case .processes: limits.processes = number
      case .queued: limits.queued = number
      }
    }
    return limits
  }

  private func hostQueues(_ node: YAMLNode, limits: HostDefinition.Limits) -> [HostDefinition.Queue] {
    declared(node, "'queues'", .operation, "a queue's name") { entry in
      var queue = HostDefinition.Queue(name: entry.name, runs: limits.runs, range: entry.key.range)
      let what = "the queue '\(entry.name)'"
      guard entry.value.entries != nil else {
        var fix = "write '{}' for as many runs as the host has"
        if case .int(let runs)? = entry.value.coreScalar { fix = "write '{ runs: \(runs) }'" }
        wrongForm(entry.value, what, needs: "a mapping", fix: fix)
        return queue
      }
      readKeys(of: entry.value, HostQueueKey.table, what: what) { key, _, setting in
        switch key {
        case .runs:
          guard let runs = int(setting.value, "'runs'", minimum: 1, maximum: HostLimitKey.largest) else { return }
          queue.runs = runs
          if runs > limits.runs {
            warning(
              .outOfRange,
              "the queue '\(entry.name)' allows \(runs) runs at once, but the host has at most \(limits.runs)",
              at: setting.value.range, fix: "raise 'runs' of 'limits', or lower this")
          }
        }
      }
      return queue
    }
  }

  private func hostResources(_ node: YAMLNode) -> [HostDefinition.Resource] {
    declared(node, "'resources'", .member, "a resource's name") { entry in
      // An invalid capacity still declares the name.
      let capacity = int(entry.value, "the capacity of '\(entry.name)'", minimum: 1) ?? .max
      return HostDefinition.Resource(name: entry.name, capacity: capacity, range: entry.key.range)
    }
  }

  /// Reads a mapping of names, using `make` for each entry. Reports names that differ only in case.
  private func declared<Declared>(
    _ node: YAMLNode, _ what: String, _ rule: NameRule, _ kind: String, make: (YAMLEntry) -> Declared
  ) -> [Declared] {
    guard let entries = node.entries else {
      wrongForm(node, what, needs: "a mapping of names")
      return []
    }
    var seen: [String: SourceRange] = [:]
    return entries.map { entry in
      if checkName(entry.name, rule, kind, at: entry.key.range) {
        if let first = seen.updateValue(entry.key.range, forKey: entry.name.lowercased()) {
          error(
            .duplicateName, "the name '\(entry.name)' is already used on line \(first.start.line)",
            at: entry.key.range)
        }
      }
      return make(entry)
    }
  }

  private func hostEnvironment(_ node: YAMLNode) -> HostDefinition.Environment {
    var environment = HostDefinition.Environment()
    readKeys(of: node, HostEnvironmentKey.table) { key, _, entry in
      switch key {
      case .pass:
        var seen: Set<String> = []
        environment.pass = texts(entry.value, "'pass'", allowsOne: false).compactMap { name, node in
          guard checkHostVariable(node) else { return nil }
          guard seen.insert(name).inserted else {
            error(.duplicateName, "the variable '\(name)' is named already", at: node.range)
            return nil
          }
          return name
        }
      case .set:
        guard let entries = entry.value.entries else {
          return wrongForm(entry.value, "'set'", needs: "a mapping of variables to texts")
        }
        for variable in entries {
          let text = plainText(variable.value, "the variable '\(variable.name)'")
          guard checkHostVariable(variable.key), let text else { continue }
          if text.utf8.contains(0) {
            error(
              .wrongForm, "the variable '\(variable.name)' cannot contain a NUL character", at: variable.value.range)
          }
          environment.set[variable.name] = text
        }
      }
    }
    return environment
  }

  /// Returns whether a host may pass the variable that `node` names to processes. Some only concern the host and its service manager.
  private func checkHostVariable(_ node: YAMLNode) -> Bool {
    guard checkVariable(node), let name = node.text else { return false }
    guard HostVariable.isOwn(name) else { return true }
    error(
      .reservedName, "'\(name)' cannot be passed to processes: it is reserved for the host and systemd", at: node.range)
    return false
  }

  private func folders(_ node: YAMLNode) -> [(path: String, range: SourceRange)] {
    if let items = node.items, items.isEmpty { wrongForm(node, "'pipelines'", needs: "at least one path") }
    let nodes = node.items ?? [node]
    var seen: [String: SourceRange] = [:]
    return nodes.compactMap { item in
      guard let path = hostPath(item, node.items == nil ? "'pipelines'" : "an entry of 'pipelines'") else { return nil }
      if let first = seen.updateValue(item.range, forKey: path) {
        error(.duplicateName, "the path is already listed on line \(first.start.line)", at: item.range)
        return nil
      }
      return (path, item.range)
    }
  }

  /// Returns the absolute path that a node names. Symbolic links are not resolved, so that replacing one takes effect.
  private func hostPath(_ node: YAMLNode, _ what: String) -> String? {
    guard let path = plainText(node, what) else { return nil }
    if path.isEmpty || path.utf8.contains(0) || path.contains("://") {
      wrongForm(node, what, needs: "a path")
      return nil
    }
    if path == "~" || path.hasPrefix("~/") {
      error(
        .wrongForm, "\(what) begins with '~', which is not expanded here", at: node.range,
        fix: "write the absolute path"
      )
      return nil
    }
    return PathText.join(directory, path)
  }
}

/// The variables through which systemd communicates with the host.
enum HostVariable {
  private static let names: Set<String> = ["NOTIFY_SOCKET", "CREDENTIALS_DIRECTORY"]
  private static let prefixes = ["LISTEN_", "WATCHDOG_"]

  static func isOwn(_ name: String) -> Bool { names.contains(name) || prefixes.contains { name.hasPrefix($0) } }
}
