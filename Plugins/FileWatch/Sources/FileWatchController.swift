import CLinuxObservers
import Glibc
import LinuxObservers
import PluginKit

/// Requests a run when something below a path has changed, and then has been quiet for a while.
struct FileWatchController: TaskController {
  let settings: FileWatchSettings
  /// The maximum number of `settle` delays: changes that never become quiet are reported anyway.
  private static let patience = 50
  /// The maximum number of changes that an event lists.
  static let mostNamed = 1000

  func run(with controls: PluginControls<JSONValue>) async throws {
    let root = Self.absolute(settings.path, from: controls.context.pluginInput.directory)
    let clock = controls.context.pluginClock
    let tree = try FileTree(root: root, isRecursive: settings.recursive)
    warn(tree, controls.context.pluginLog)
    let (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    var watched = tree.descriptor
    var subscription = try Self.watch(watched, wake)
    defer { subscription.cancel() }
    controls.context.pluginLog.debug("watching \(root)")
    for await _ in wakes {
      var dirt = tree.drain()
      guard dirt != .nothing else { continue }
      for _ in 0..<Self.patience {
        try await clock.delay(for: settings.settle)
        let more = tree.drain()
        if more == .nothing { break }
        dirt.add(more)
      }
      let changes = try tree.changes(in: dirt).filter(counts)
      if tree.descriptor !== watched {
        subscription.cancel()
        watched = tree.descriptor
        subscription = try Self.watch(watched, wake)
        warn(tree, controls.context.pluginLog)
      }
      if !changes.isEmpty { tell(changes, root, controls) }
    }
  }

  private static func watch(_ descriptor: Descriptor, _ wake: AsyncStream<Void>.Continuation) throws
    -> OperationSubscription
  {
    // Edge-triggered: events are read later.
    try ObserverThread.shared.watch(descriptor, for: EPOLLIN.rawValue | EPOLLET.rawValue) { _ in wake.yield() }
  }

  private func warn(_ tree: FileTree, _ log: PluginLog) {
    for problem in tree.unwatched.prefix(10) {
      log.warning("cannot see changes in \(problem)")
    }
  }

  /// Whether the settings select the change.
  private func counts(_ change: FileChange) -> Bool {
    guard settings.events.isEmpty || settings.events.contains(change.kind) else { return false }
    guard !settings.patterns.isEmpty else { return true }
    let whole = change.path.isEmpty ? Self.name(of: settings.path) : change.path
    return settings.patterns.contains { pattern in
      pattern.contains("/")
        ? fnmatch(pattern, whole, FNM_PATHNAME) == 0 : fnmatch(pattern, Self.name(of: whole), 0) == 0
    }
  }

  private func tell(_ changes: [FileChange], _ root: String, _ controls: PluginControls<JSONValue>) {
    let first = changes[0]
    let path = Self.path(first.path, below: root)
    let reason = "\(path): \(first.kind.rawValue)" + (changes.count == 1 ? "" : ", and \(changes.count - 1) more")
    let named = changes.prefix(Self.mostNamed)
    controls.rerun(
      reason: reason,
      fields: [
        "paths": .array(named.map { .string(Self.path($0.path, below: root)) }),
        "changes": .array(
          named.map { change in
            let event = JSONValue.string(change.kind.rawValue)
            let path = JSONValue.string(Self.path(change.path, below: root))
            guard let from = change.from else { return ["event": event, "path": path] }
            return ["event": event, "path": path, "from": .string(Self.path(from, below: root))]
          }), "count": .int(Int64(changes.count)),
      ])
  }

  private static func path(_ entry: String, below root: String) -> String { entry.isEmpty ? root : "\(root)/\(entry)" }

  private static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

  private static func absolute(_ path: String, from directory: String?) -> String {
    var whole = path
    if !path.hasPrefix("/") {
      let start =
        directory
        ?? getcwd(nil, 0).map { pointer in
          defer { free(pointer) }
          return String(cString: pointer)
        }
      whole = "\(start ?? "")/\(path)"
    }
    let parts = whole.split(separator: "/").filter { $0 != "." }
    return "/" + parts.joined(separator: "/")
  }
}
