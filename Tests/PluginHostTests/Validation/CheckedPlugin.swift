import Foundation
import Values

@testable import PluginHost

/// JSON text in a test.
struct JSONText: ExpressibleByStringLiteral, Sendable {
  let text: String
  init(stringLiteral text: String) { self.text = text }
  func value() throws -> JSONValue { try JSONValue.parse(text) }
}

/// Validations of plugins that tests compile, with the check process that is built beside the tests.
enum CheckedPlugin {
  /// Returns a plugin that keeps every rule: an operation, a controller and a specification that end when asked.
  static func good(_ change: (inout TestPlugin.Source) -> Void = { _ in }) -> TestPlugin.Source {
    TestPlugin.Source(id: "good") { source in
      source.offers = [
        #"{"kind": "operation", "id": "good.echo", "summary": "Gives back what it gets"}"#,
        #"{"kind": "controller", "id": "good.once", "summary": "Yields once"}"#,
        #"{"kind": "specification", "id": "good.yes", "summary": "Is satisfied"}"#,
      ]
      source.members = "int ended;"
      source.preamble = """
        static void end(test_instance *me, penstock_text result) {
          if (me->ended) return;
          me->ended = 1;
          instances->complete(host, me->id, result);
        }
        static int is_json(penstock_text text) { return text.length > 1 && text.bytes[0] == '{' && text.bytes[1] == '"' && text.bytes[2] == 'a'; }
        """
      source.start = """
        if (!strcmp(me->offer, "good.echo")) end(me, is_json(input) ? input : PENSTOCK_TEXT("{}"));
        else if (!strcmp(me->offer, "good.once")) controllers->yield_rerun(host, me->id, PENSTOCK_TEXT("{\\"reason\\":\\"once\\"}"));
        else specifications->changed(host, me->id, 1, PENSTOCK_TEXT("always"));
        """
      source.stop = "end(me, PENSTOCK_TEXT(\"\"));"
      change(&source)
    }
  }

  /// Returns the report on a plugin, for the checks `only`, or all.
  static func report(
    on source: TestPlugin.Source, only: [String] = [], settings: [String: JSONText] = [:], patience: Duration? = nil,
    seed: UInt64 = 7
  ) async throws -> PluginCheckReport {
    try await report(
      onFile: TestPlugin.compile(source), only: only, settings: settings, patience: patience, seed: seed)
  }

  /// Returns the report on a file.
  static func report(
    onFile file: String, only: [String] = [], settings: [String: JSONText] = [:], patience: Duration? = nil,
    grace: Duration = .seconds(1), seed: UInt64 = 7
  ) async throws -> PluginCheckReport {
    var validation = PluginValidation(
      file: file, child: [try child()], seed: seed, settings: try settings.mapValues { try $0.value() }, only: only)
    validation.patience = patience
    validation.grace = grace
    let prepared = validation
    // It blocks, which must not happen on a thread of the cooperative pool.
    return await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: prepared.run()) }.start()
    }
  }

  private static func child() throws -> String {
    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    var directory = URL(fileURLWithPath: link ?? CommandLine.arguments[0]).deletingLastPathComponent()
    // The tests lie beside the build's products, possibly in a bundle.
    for _ in 0..<4 {
      let file = directory.appendingPathComponent("PluginCheckChild").path
      if FileManager.default.isExecutableFile(atPath: file) { return file }
      directory.deleteLastPathComponent()
    }
    throw TestPluginError(message: "there is no PluginCheckChild beside the tests")
  }
}
