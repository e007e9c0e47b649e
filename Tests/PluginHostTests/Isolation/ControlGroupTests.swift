import Foundation
import Glibc
import Testing

@testable import PluginHost

@Suite("Control groups of child hosts")
struct ControlGroupTests {
  private let root = NSTemporaryDirectory() + "penstock-groups-" + UUID().uuidString

  /// Creates a tree of groups as the kernel shows it, as far as it is read.
  private func make(_ groups: [String: String]) throws {
    for (group, controllers) in groups {
      let path = root + group
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try (controllers + "\n").write(toFile: path + "/cgroup.subtree_control", atomically: false, encoding: .utf8)
    }
  }

  private func groups(_ membership: String, mayUse: (String) -> Bool = { _ in true }) -> ControlGroups {
    ControlGroups(roots: ["/nowhere", root], membership: membership, mayUse: mayUse)
  }

  private func remove() { try? FileManager.default.removeItem(atPath: root) }

  @Test("a group is created beside the host's if memory is controlled there, and nowhere else")
  func places() throws {
    try make(["": "cpu", "/user": "cpu memory pids", "/user/session": ""])
    defer { remove() }
    #expect(groups("4:memory:/old\n0::/user/session\n").parents == [root + "/user"])
    #expect(groups("0::/user\n").parents == [root + "/user"])
    #expect(groups("0::/\n").parents.isEmpty)
    #expect(groups("4:memory:/user\n").parents.isEmpty)
    #expect(groups("0::/user/session\n") { _ in false }.parents.isEmpty)
  }

  @Test("a group limits all memory of a process, and reports whether it ran out")
  func bounds() throws {
    try make(["": "memory"])
    defer { remove() }
    let group = try #require(groups("0::/\n").group(for: 4242, memory: 64 << 20))
    #expect(group.path == root + "/penstock-\(getpid())-4242")
    #expect(ProcFile.text(group.path + "/memory.max") == "67108864")
    #expect(ProcFile.text(group.path + "/memory.swap.max") == "0")
    #expect(ProcFile.text(group.path + "/memory.oom.group") == "1")
    #expect(ProcFile.text(group.path + "/cgroup.procs") == "4242")
    #expect(!group.hasRunOut)
    try "low 0\noom 3\noom_kill 0\n".write(toFile: group.path + "/memory.events", atomically: false, encoding: .utf8)
    #expect(!group.hasRunOut)
    try "low 0\noom 3\noom_kill 1\n".write(toFile: group.path + "/memory.events", atomically: false, encoding: .utf8)
    #expect(group.hasRunOut)
  }

  @Test("no group is created where that is impossible")
  func refused() throws {
    try make(["": "memory"])
    defer { remove() }
    let groups = groups("0::/\n")
    remove()
    #expect(groups.group(for: 4242, memory: 64 << 20) == nil)
  }
}
