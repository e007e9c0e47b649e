import CProcess
import Glibc
import OperatingSystem

/// The directory of a batch: attempts that are submitted to Slurm as one array, whose job has the token as its name.
///
/// It is the directory in which `sbatch` starts, so that the job has its path in `SLURM_SUBMIT_DIR`. The script is the same for every batch and contains
/// nothing that would have to be quoted.
package struct BatchFolder: Sendable, Hashable {
  /// The batch script.
  package static let script = """
    #!/bin/sh
    exec "$SLURM_SUBMIT_DIR/penstock" worker "$SLURM_SUBMIT_DIR"

    """
  /// The largest list of attempts, in bytes.
  private static let listLimit = 16 << 20

  /// The directory of the run.
  package let run: String
  package let token: AttemptToken

  package init(run: String, token: AttemptToken) {
    self.run = run
    self.token = token
  }

  /// The folder at a path; nil if its name is not a token.
  package init?(path: String) {
    guard let slash = path.lastIndex(of: "/"), let token = AttemptToken(path[path.index(after: slash)...]) else {
      return nil
    }
    self.init(run: String(path[..<slash]), token: token)
  }

  package var path: String { "\(run)/\(token.text)" }
  private var list: String { "\(path)/jobs" }
  private var program: String { "\(path)/penstock" }

  /// The log that Slurm writes for one element: what the worker itself prints, and why Slurm ended it.
  package func log(_ index: Int) -> String { "\(path)/slurm-\(index).log" }

  /// The log of every element, as `--output` wants it.
  package var logPattern: String { path.replacing("%", with: "%%") + "/slurm-%a.log" }

  /// Creates the directory for attempts that have theirs. `program` is what the nodes execute.
  package func create(for attempts: [AttemptFolder], program target: String) throws(SystemError) {
    guard mkdir(path, 0o700) == 0 else { throw SystemError("mkdir", errno) }
    guard symlink(target, program) == 0 else { throw SystemError("symlink", errno) }
    try SharedFile.write(Array(attempts.map { "\($0.token.text)\n" }.joined().utf8), to: list)
    for (index, attempt) in attempts.enumerated() {
      try SharedFile.write(Array("\(token.text) \(index)".utf8), to: attempt.batch)
    }
    // What the nodes are to find must survive this computer.
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("open", errno) }
    defer { close(descriptor) }
    let number = penstock_sync_file_system(descriptor)
    guard number == 0 else { throw SystemError("syncfs", number) }
  }

  /// Returns the attempt at a place in the batch; nil if there is none.
  package func attempt(_ index: Int) -> AttemptFolder? {
    guard let bytes = SharedFile.read(list, limit: Self.listLimit) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard lines.indices.contains(index) else { return nil }
    return AttemptToken(lines[index]).map { AttemptFolder(run: run, token: $0) }
  }

  /// Returns the batch that an attempt was submitted with, and its place there; nil if it was not.
  package static func place(of attempt: AttemptFolder) -> (batch: BatchFolder, index: Int)? {
    guard let bytes = SharedFile.read(attempt.batch, limit: 1024) else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    guard words.count == 2, let token = AttemptToken(words[0]), let index = Int(words[1]) else { return nil }
    return (BatchFolder(run: attempt.run, token: token), index)
  }
}
