import CProcess
import Glibc

/// Where this process may make control groups of its own (version 2 of the kernel's), for the memory of child hosts.
///
/// A group may be made below the one that this process is in, or beside it, where that is this user's or was handed over ("delegated") and
/// controls memory already. Nothing is moved and nothing is switched on that others would notice.
package struct ControlGroups: Sendable {
  /// The groups that may have one below them, nearest first.
  let parents: [String]

  /// Those of this process.
  static let system = ControlGroups(
    roots: ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"], membership: ProcFile.text("/proc/self/cgroup") ?? "",
    mayUse: isDelegated)

  /// - Parameters:
  ///   - roots: Where the file system may be mounted.
  ///   - membership: The text of `/proc/self/cgroup`.
  ///   - mayUse: Whether a group is this process's to change.
  init(roots: [String], membership: String, mayUse: (String) -> Bool) {
    guard let root = roots.first(where: { access($0 + "/cgroup.subtree_control", F_OK) == 0 }),
      let line = membership.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })
    else {
      parents = []
      return
    }
    let own = line.dropFirst("0::/".count)
    var candidates = [own.isEmpty ? root : "\(root)/\(own)"]
    if !own.isEmpty {
      candidates.append(candidates[0].lastIndex(of: "/").map { String(candidates[0][..<$0]) } ?? root)
    }
    parents = candidates.filter { group in
      let controllers = ProcFile.text(group + "/cgroup.subtree_control") ?? ""
      return controllers.split(whereSeparator: \.isWhitespace).contains("memory") && mayUse(group)
    }
  }

  /// A user's own groups can be written by that user. The superuser can write all, of which most are the service manager's.
  private static func isDelegated(_ group: String) -> Bool {
    guard geteuid() == 0 else { return access(group + "/cgroup.procs", W_OK) == 0 }
    var value: UInt8 = 0
    let names: [String] = ["user.delegate", "trusted.delegate"]
    return names.contains { getxattr(group, $0, &value, 1) == 1 && value == UInt8(ascii: "1") }
  }

  /// A group of the process alone, with no more memory than that.
  ///
  /// - Returns: Nil where none can be made.
  func group(for pid: Int32, memory: Int64) -> ControlGroup? {
    for parent in parents {
      let group = ControlGroup(path: "\(parent)/penstock-\(getpid())-\(pid)")
      if group.begin(pid, memory: memory) { return group }
      group.remove()
    }
    return nil
  }
}

/// A control group of a child host. What the child starts is in it as well.
struct ControlGroup: Sendable {
  let path: String

  fileprivate func begin(_ pid: Int32, memory: Int64) -> Bool {
    guard mkdir(path, 0o755) == 0, write("\(memory)", to: "memory.max") else { return false }
    // Memory that is swapped out counts as well, and one process that is ended for it leaves none of the others. Neither is everywhere.
    _ = write("0", to: "memory.swap.max")
    _ = write("1", to: "memory.oom.group")
    return write("\(pid)", to: "cgroup.procs")
  }

  /// Whether the kernel has ended a process for its memory.
  var hasRunOut: Bool {
    let events = ProcFile.text(path + "/memory.events") ?? ""
    return events.split(separator: "\n").contains { $0.hasPrefix("oom_kill ") && $0 != "oom_kill 0" }
  }

  /// Gives up the group, in which no process is any more.
  func remove() { rmdir(path) }

  private func write(_ text: String, to name: String) -> Bool {
    let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count
  }
}

/// A file of the kernel's, which is read in one go.
enum ProcFile {
  /// Its text, of at most 16 KiB; nil where it cannot be read.
  static func text(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}
