import Expressions
import Foundation
import OperationsTesting
import PipelineLanguage
import Testing
import Values

extension Soak {
  @Suite("No text makes the libraries crash or hang") struct LibraryFuzzTests {
    @Test("mutated pipeline files yield a pipeline or diagnostics")
    func pipelineFiles() throws {
      let scratch = try Scratch()
      let clock = CaseClock()
      defer { clock.stop() }
      for round in Soak.rounds(full: 12_000, short: 900) {
        var mutator = Mutator(random: SeededRandom(seed: Soak.seed, round: round), corpus: Corpus.pipelines)
        // Loaded from a file, so that the text can be inspected if the process crashes.
        let path = try scratch.write(mutator.next(), to: "case.yaml")
        var result: LoadResult?
        let duration = clock.time("pipeline file of round \(round), seed \(Soak.seed), \(path)") {
          result = PipelineLoader.load(path: path)
        }
        #expect(duration < CaseClock.limit, Soak.place(round))
        guard let result else { continue }
        let hasError = result.diagnostics.contains { $0.severity == .error }
        #expect(
          result.isValid != hasError, "a file is either valid or says what is wrong; \(Soak.place(round).rawValue)")
        let rendered = clock.time("diagnostics of round \(round), seed \(Soak.seed)") {
          for diagnostic in result.diagnostics.prefix(50) {
            _ = DiagnosticRenderer().render(diagnostic, in: result.source)
            _ = diagnostic.jsonValue().text
          }
        }
        #expect(rendered < CaseClock.limit, Soak.place(round))
      }
    }

    @Test("mutated host files yield a host or diagnostics")
    func hostFiles() throws {
      let clock = CaseClock()
      defer { clock.stop() }
      for round in Soak.rounds(full: 4_000, short: 300) {
        var mutator = Mutator(random: SeededRandom(seed: Soak.seed, round: round), corpus: Corpus.hosts)
        let text = String(decoding: mutator.next(), as: UTF8.self)
        var result: HostLoadResult?
        let duration = clock.time("host's file of round \(round), seed \(Soak.seed): \(text.prefix(500))") {
          result = HostDefinition.load(text: text, path: "/nonexistent/host.yaml")
        }
        #expect(duration < CaseClock.limit, Soak.place(round))
        guard let result else { continue }
        let hasError = result.diagnostics.contains { $0.severity == .error }
        #expect(result.isValid != hasError, Soak.place(round))
        #expect(result.host.map { $0.queue(nil) != nil } ?? true, Soak.place(round))
        _ = DiagnosticRenderer().render(result.diagnostics, in: [result.source])
      }
    }

    @Test("mutated expressions yield a value or an error")
    func expressions() throws {
      let clock = CaseClock()
      defer { clock.stop() }
      let contexts = try Self.contexts()
      for round in Soak.rounds(full: 8_000, short: 600) {
        var mutator = Mutator(random: SeededRandom(seed: ~Soak.seed, round: round), corpus: Corpus.expressions)
        let text = String(decoding: mutator.next(), as: UTF8.self)
        let duration = clock.time("expression of round \(round), seed \(Soak.seed): \(text.prefix(500))") {
          Self.evaluate(text, in: contexts, round: round)
        }
        #expect(duration < CaseClock.limit, "\(text.prefix(500)); \(Soak.place(round).rawValue)")
      }
    }

    private static func evaluate(_ text: String, in contexts: ObjectContexts, round: Int) {
      let length = text.unicodeScalars.count
      do {
        let expression = try Expression.parse(text)
        _ = expression.references
        _ = expression.resultsWithDefault
        do {
          let value = try expression.evaluate(in: contexts)
          _ = value.text
          _ = value.coercedString
        } catch {
          expectInside(error, length, round)
        }
      } catch {
        expectInside(error, length, round)
      }
      do {
        _ = try Template.parse("a ${{ \(text) }} b").evaluate(in: contexts)
      } catch {
        expectInside(error, length + 12, round)
      }
    }

    /// Expects a position within the text, because editors underline it.
    private static func expectInside(_ error: ExpressionError, _ length: Int, _ round: Int) {
      #expect(!error.message.isEmpty, Soak.place(round))
      #expect(error.position >= 1 && error.position <= length + 1, "\(error); \(Soak.place(round).rawValue)")
    }

    private static func contexts() throws -> ObjectContexts {
      let text = #"""
        {"params": {"feed": "here", "limit": 20, "json": "{\"a\": {\"b\": [1]}}"}, "env": {"LC_ALL": "C", "PATH": "/bin"},
         "secrets": {"token": "t"}, "errors": {}, "operations": {}, "run": {"id": "x"}, "item": {"name": "n"}, "a": null,
         "results": {"fetch": [{"tag": "v1"}, {"tag": "v2", "draft": true}], "count": 2, "list": [3, 1, 2],
                     "deep": {"a": {"b": {"x": 1}}, "c": [{"x": 2}]}}}
        """#
      guard case .object(let members) = try JSONValue.parse(text) else { return ObjectContexts() }
      return ObjectContexts(members)
    }
  }
}
