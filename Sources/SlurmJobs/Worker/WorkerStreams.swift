import CProcess
import Glibc
import OperatingSystem

/// The standard streams of a program: files, or with secrets an unnamed file for its input and pipes that mask its output.
final class WorkerStreams {
  /// The files that the program opens itself, where ``descriptors`` has none.
  let paths: [String]
  private let outputs: [MaskedOutput]
  private var input: Int32 = -1

  init(
    of attempt: AttemptFolder, _ order: JobOrder, _ secret: SecretOrder?, _ masking: OutputMasking
  ) throws(SystemError) {
    paths = [order.hasInput ? attempt.input : "/dev/null", attempt.output, attempt.error]
    guard let secret else {
      outputs = []
      return
    }
    var masked: [MaskedOutput] = []
    for path in paths.dropFirst() {
      guard let mask = masking(secret.secrets) else { break }
      masked.append(try MaskedOutput(to: path, mask))
    }
    outputs = masked
    guard let text = secret.input else { return }
    input = Array(text.utf8).withUnsafeBytes { penstock_memory_file($0.baseAddress, $0.count) }
    guard input >= 0 else { throw SystemError("memfd_create", -input) }
  }

  deinit { if input >= 0 { close(input) } }

  /// What the program inherits as its standard input, output and error; -1 for what it opens itself.
  var descriptors: [Int32] {
    [input] + (outputs.count == 2 ? outputs.map(\.writeEnd) : [-1, -1])
  }

  /// Closes the worker's copies of the ends that the program writes to.
  func closeCopies() { for output in outputs { output.closeWriteEnd() } }

  /// Takes everything that the program wrote. No process may have its output any more.
  ///
  /// - Returns: 0, or the error number because of which a part of the output is missing.
  func finish() -> Int32 { outputs.map { $0.finish() }.first { $0 != 0 } ?? 0 }
}
