import Glibc
import Operations

/// Whether something is at a path.
struct FileExistsSpecification: LoopSpecification {
  /// The absolute path.
  let path: String
  /// How the condition is written.
  let text: String
  let watch: PathWatch
  let loop: EventLoop

  func isSatisfied(in context: OperationContext) -> Bool { access(path, F_OK) == 0 }

  func begin(_ onChange: @escaping @Sendable () -> Void) -> () -> Void {
    let entry = watch.add(path, onChange)
    return { watch.remove(entry) }
  }

  func description(in context: OperationContext) -> SpecificationDescription {
    let isThere = isSatisfied(in: context)
    return SpecificationDescription(
      formula: text, reason: isThere ? "\(path) is there" : "\(path) is not there", isSatisfied: isThere)
  }
}

/// Whether what is at a path has changed: was written to, replaced, created or removed.
struct ChangedSpecification: LoopSpecification {
  /// The clock of the file system may lag behind the system's by one tick of the kernel's.
  private static let lag: Int64 = 10_000

  let path: String
  let text: String
  /// What counts as changed came after this; nil for the time when the condition was made.
  let moment: RecordTime?
  /// What was there when the condition was made.
  private let before: Stamp?
  let watch: PathWatch
  let loop: EventLoop

  init(path: String, text: String, since moment: RecordTime?, watch: PathWatch, loop: EventLoop) {
    self.path = path
    self.text = text
    self.moment = moment
    self.watch = watch
    self.loop = loop
    before = Stamp(path)
  }

  func isSatisfied(in context: OperationContext) -> Bool {
    let now = Stamp(path)
    guard let moment, let now else { return now != before }
    return now.latest.microseconds > moment.microseconds - Self.lag
  }

  func begin(_ onChange: @escaping @Sendable () -> Void) -> () -> Void {
    let entry = watch.add(path, onChange)
    return { watch.remove(entry) }
  }

  func description(in context: OperationContext) -> SpecificationDescription {
    let reason = Stamp(path).map { "\(path) changed last at \($0.latest.text)" } ?? "\(path) is not there"
    return SpecificationDescription(formula: text, reason: reason, isSatisfied: isSatisfied(in: context))
  }

  /// What tells one state of a file or directory from another.
  private struct Stamp: Equatable {
    let device: dev_t
    let inode: ino_t
    let size: Int64
    /// When it was written to, or put where it is: a file that was moved here keeps the time of its content.
    let latest: RecordTime

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      device = status.st_dev
      inode = status.st_ino
      size = Int64(status.st_size)
      latest = max(Self.time(status.st_mtim), Self.time(status.st_ctim))
    }

    private static func time(_ time: timespec) -> RecordTime {
      RecordTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
  }
}
