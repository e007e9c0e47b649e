import Glibc
import Workspace

/// The child process of the tests of Workspace.
///
///     WorkspaceChild write DIRECTORY SEED          endless numbered transactions; prints the number of each acknowledged one
///     WorkspaceChild compete DIRECTORY SEED TASKS COUNT FILE
///                                                  tasks that change and read registers; writes what each has read to a file
///     WorkspaceChild update DIRECTORY KEY COUNT    changes one object COUNT times
///     WorkspaceChild hold DIRECTORY                holds the write lock from its first line of output until its input ends
@main
enum WorkspaceChild {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "write" where arguments.count == 3:
      try await Numbered.writeForever(arguments[1], seed: UInt64(arguments[2]) ?? 0)
    case "compete" where arguments.count == 6:
      try await Competition.take(
        part: arguments[1], seed: UInt64(arguments[2]) ?? 0, tasks: Int(arguments[3]) ?? 0,
        count: Int(arguments[4]) ?? 0, file: arguments[5])
    case "update" where arguments.count == 4:
      let workspace = try openRegisters(arguments[1])
      for number in 0..<(Int(arguments[3]) ?? 0) {
        let register = Register(key: Int(arguments[2]) ?? 0, version: number)
        try await workspace.performChanges([Register.self]) { try $0.submit(Register.upsertRequest(register)) }
      }
      await workspace.shutdown()
    case "hold" where arguments.count == 2:
      let workspace = try openRegisters(arguments[1])
      try await workspace.performChanges([Register.self]) { _ in
        say("held")
        while getchar() != EOF {}
      }
    default: fatalError("usage: see WorkspaceChild.swift")
    }
  }
}

/// Prints a line immediately.
func say(_ line: String) {
  var line = line + "\n"
  _ = line.withUTF8 { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}
