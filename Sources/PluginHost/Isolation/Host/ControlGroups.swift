import CProcess
import Glibc

/// The control groups (version 2) below which this process may create its own, to limit the memory of child hosts.
///
/// A group may be created below or beside the one that this process is in, if the parent belongs to this user or was delegated and already controls
/// memory. No process is moved, and no controller is enabled that others would notice.
package struct ControlGroups: Sendable {
  /// The groups that may have a child group, nearest first.
  let parents: [String]

  /// The groups of this process.
  static let system = ControlGroups(
    roots: ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"], membership: ProcFile.text("/proc/self/cgroup") ?? "",
    mayUse: isDelegated)

  /// - Parameters:
  ///   - roots: The paths at which the file system may be mounted.
  ///   - membership: The text of `/proc/self/cgroup`.
  ///   - mayUse: Whether this process may change a group.
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

  /// Whether the group belongs to this process. A user can write only to their own groups. The superuser can write to all, most of which belong to
  /// the service manager.
  private static func isDelegated(_ group: String) -> Bool {
    guard geteuid() == 0 else { return access(group + "/cgroup.procs", W_OK) == 0 }
    var value: UInt8 = 0
    let names: [String] = ["user.delegate", "trusted.delegate"]
    return names.contains { getxattr(group, $0, &value, 1) == 1 && value == UInt8(ascii: "1") }
  }

  /// Creates a group with this process alone, limited to this memory in bytes.
  ///
  /// - Returns: The group, or nil if none can be created.
  func group(for pid: Int32, memory: Int64) -> ControlGroup? {
    for parent in parents {
      let group = ControlGroup(path: "\(parent)/penstock-\(getpid())-\(pid)")
      if group.begin(pid, memory: memory) { return group }
      group.remove()
    }
    return nil
  }
}

/// A control group of a child host, including the processes that the child starts.
struct ControlGroup: Sendable {
  let path: String

  fileprivate func begin(_ pid: Int32, memory: Int64) -> Bool {
    guard mkdir(path, 0o755) == 0, write("\(memory)", to: "memory.max") else { return false }
    // Count swapped memory too, and kill the whole group rather than one process. Either file may be missing.
    _ = write("0", to: "memory.swap.max")
    _ = write("1", to: "memory.oom.group")
    return write("\(pid)", to: "cgroup.procs")
  }

  /// Whether the kernel has killed a process of the group for lack of memory.
  var hasRunOut: Bool {
    let events = ProcFile.text(path + "/memory.events") ?? ""
    return events.split(separator: "\n").contains { $0.hasPrefix("oom_kill ") && $0 != "oom_kill 0" }
  }

  /// Removes the group, which has no processes left.
  func remove() { rmdir(path) }

  private func write(_ text: String, to name: String) -> Bool {
    let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count
  }
}

/// A file of the kernel that is read in one call.
enum ProcFile {
  /// Returns its text, at most 16 KiB; nil if it cannot be read.
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
