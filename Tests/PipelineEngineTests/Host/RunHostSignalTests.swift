import Foundation
import PipelineEngine
import PipelineLanguage
import RunHistory
import Testing

/// Each test runs in its own process, because signals concern the whole process.
@Suite("A host and the signals of its process")
struct RunHostSignalTests {
  @Test("A host leaves the handling of signals to the program")
  func dispositions() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let directory = NSTemporaryDirectory() + "penstock-signals-\(UUID().uuidString)"
      let signals = [SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGIO, SIGURG]
      for number in signals { signal(number, SIG_DFL) }
      let host = try RunHost.open(workspace: directory)
      for number in signals {
        var action = sigaction()
        sigaction(number, nil, &action)
        guard action.__sigaction_handler.sa_handler == nil else { exit(number) }
      }
      try await host.close()
      try? FileManager.default.removeItem(atPath: directory)
      exit(7)
    }
  }

  @Test("A file size limit ends a run with an error, not the program")
  func fileSize() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let directory = NSTemporaryDirectory() + "penstock-signals-\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: directory) }
      signal(SIGXFSZ, SIG_DFL)
      let host = try RunHost.open(workspace: directory)
      let loaded = PipelineLoader.load(
        text:
          "name: big\noperations: [{ name: big, value: \"${{ format('{0}{0}{0}{0}', params.part) }}\" }]\nparams: { part: { type: string } }",
        path: directory + "/big.yaml")
      guard let pipeline = loaded.pipeline else { exit(1) }
      var options = RunOptions()
      options.parameters = ["part": .string(String(repeating: "x", count: 1 << 19))]
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      limit.rlim_cur = 1 << 20
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      do {
        let outcome = try await host.run(pipeline, options: options)
        exit(outcome.run.state == .succeeded ? 2 : 7)
      } catch {
        exit(7)
      }
    }
  }
}
