import Values

extension DocumentReader {
  /// Reads `retry` of `owner`: a limit, or a mapping with a default limit of 3.
  ///
  /// The words of `early` that are not conditions are appended to `words`.
  func retry(
    _ node: YAMLNode, of owner: String, words: inout [(name: String, range: SourceRange)]
  ) -> OperationDefinition.Retry? {
    var retry = OperationDefinition.Retry()
    guard node.entries != nil else {
      guard let limit = int(node, "'retry'", minimum: 0) else { return nil }
      retry.limit = limit
      return retry
    }
    retry.limit = 3
    var maximumRange: SourceRange?
    var isJitterGiven = false
    readKeys(of: node, RetryKey.table) { key, _, entry in
      let value = entry.value
      switch key {
      case .limit: if let limit = int(value, "'limit'", minimum: 0) { retry.limit = limit }
      case .backoff:
        if let word = choice(value, "'backoff'", OperationDefinition.Retry.Backoff.self) { retry.backoff = word }
      case .base: if let base = duration(value, "'base'") { retry.base = base }
      case .max:
        maximumRange = value.range
        if let maximum = duration(value, "'max'") { retry.maximum = maximum }
      case .jitter:
        isJitterGiven = true
        if let word = choice(value, "'jitter'", OperationDefinition.Retry.Jitter.self) { retry.jitter = word }
      case .deadline: retry.deadline = duration(value, "'deadline'", allowsZero: false)
      case .on: retry.on = causes(value)
      case .early: retry.early = early(value, of: owner, words: &words)
      }
    }
    // With `backoff: constant` and `base: 5m`, authors expect exactly five minutes.
    if !isJitterGiven, retry.backoff == .constant { retry.jitter = .none }
    if retry.maximum < retry.base {
      if let maximumRange {
        let base = DurationNotation.format(retry.base)
        error(.outOfRange, "'max' cannot be shorter than 'base', which is \(base)", at: maximumRange)
      } else {
        // The default maximum must not shorten a first delay that the author set.
        retry.maximum = retry.base
      }
    }
    return retry
  }

  /// Reads the conditions that bring an attempt forward.
  private func early(
    _ node: YAMLNode, of owner: String, words: inout [(name: String, range: SourceRange)]
  ) -> [SpecificationFormula] {
    if let items = node.items, items.isEmpty { wrongForm(node, "'early'", needs: "at least one specification") }
    var formulas: [SpecificationFormula] = []
    for item in node.items ?? [node] {
      if let word = item.text, SpecificationWord.earlyOnly.contains(word) {
        words.append((word, item.range))
      } else if let formula = formula(item, "'early'", .early, of: owner) {
        formulas.append(formula)
      }
    }
    return formulas
  }

  private func causes(_ node: YAMLNode) -> [OperationDefinition.Retry.Cause] {
    guard let items = node.items, !items.isEmpty else {
      wrongForm(
        node, "'on'", needs: "a list of failures",
        fix: "write it like [timeout, {exit: [1, 2]}, {signal: SIGKILL}, {error: result-mismatch}]")
      return []
    }
    var causes: [OperationDefinition.Retry.Cause] = []
    for item in items {
      guard item.entries != nil else {
        guard let word = plainText(item, "an entry of 'on'") else { continue }
        if word == "timeout" {
          causes.append(.timeout)
        } else if let end = ClusterEnd(rawValue: word) {
          causes.append(.error(end.rawValue))
        } else {
          unknownCause(word, item)
        }
        continue
      }
      readKeys(of: item, CauseKey.table) { key, _, entry in causes += self.causes(key, entry.value) }
    }
    return causes
  }

  private func unknownCause(_ word: String, _ node: YAMLNode) {
    let isNumber = Int(word) != nil
    let fix =
      isNumber ? "write '{exit: \(word)}'" : SignalName.all.contains(word) ? "write '{signal: \(word)}'" : nil
    error(
      .unknownWord,
      "an entry of 'on' is \(RetryKey.causeWords.joined(separator: ", ")), {exit: …}, {signal: …}, {status: …} or {error: …}, found '\(word)'",
      at: node.range, fix: fix ?? suggestion(for: word, among: RetryKey.causeWords))
  }

  private func causes(_ key: CauseKey, _ node: YAMLNode) -> [OperationDefinition.Retry.Cause] {
    let nodes = node.items ?? [node]
    switch key {
    case .exit:
      return nodes.compactMap { int($0, "an exit code", minimum: 1, maximum: 255).map { .exitCode($0) } }
    case .signal:
      return nodes.compactMap { node in
        guard let name = plainText(node, "'signal'") else { return nil }
        if SignalName.all.contains(name) { return .signal(name) }
        let fix = SignalName.all.contains("SIG" + name) ? "did you mean 'SIG\(name)'?" : nil
        error(
          .unknownWord, "there is no signal '\(name)'", at: node.range,
          fix: fix ?? suggestion(for: name, among: SignalName.all))
        return nil
      }
    case .status:
      return nodes.flatMap { node -> [OperationDefinition.Retry.Cause] in
        guard let text = plainText(node, "'status'") else { return [] }
        if let codes = Self.statuses(text) { return codes.sorted().map { .status($0) } }
        error(
          .invalidStatus, "'\(text)' is not a status", at: node.range,
          fix: "write a number from 100 to 599 such as '503', or a class such as '5xx'")
        return []
      }
    case .error:
      return nodes.compactMap { plainText($0, "'error'").map { .error($0) } }
    }
  }

  /// Reads `repeat`.
  func repetition(_ node: YAMLNode, into sites: inout [ExpressionSite]) -> OperationDefinition.Repeat? {
    var repetition = OperationDefinition.Repeat(until: nil, every: .zero, limit: nil)
    var isBounded = false
    readKeys(of: node, RepeatKey.table) { key, _, entry in
      switch key {
      case .until:
        isBounded = true
        repetition.until = expression(entry.value, "'until'", .until, into: &sites)
      case .every: if let every = duration(entry.value, "'every'") { repetition.every = every }
      case .limit:
        isBounded = true
        repetition.limit = int(entry.value, "'limit'", minimum: 1)
      }
    }
    if let entries = node.entries, !isBounded {
      error(
        .endlessRepeat, "'repeat' has neither 'until' nor 'limit', so it would never end",
        at: entries.first?.key.range ?? node.range)
    }
    return repetition
  }
}
