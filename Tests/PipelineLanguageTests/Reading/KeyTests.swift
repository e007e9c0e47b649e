import Testing

@testable import PipelineLanguage

@Suite("Keys")
struct KeyTests {
  @Test("a misspelt key is an error with the nearest key")
  func misspeltKeys() {
    #expect(
      findings(
        """
        concurency: 2
        operations:
          - name: x
            rnu: ls
            shel: bash
        """) == [
          "1:1 unknown-key a pipeline has no key 'concurency' (did you mean 'concurrency'?)",
          "4:5 unknown-key an operation has no key 'rnu' (did you mean 'run'?)",
          "5:5 unknown-key an operation has no key 'shel' (did you mean 'shell'?)",
        ])
  }

  @Test("a key from another tool is an error with the equivalent key")
  func familiarKeys() {
    #expect(
      findings(
        """
        inputs: {}
        operations:
          - name: x
            if: y
            depends_on: [z]
            cmd: [ls]
            continue-on-error: true
            working-directory: /
            retry: { max-attempts: 3, interval: 1s }
            repeat: { interval: 1s, limit: 2 }
        """) == [
          "1:1 unknown-key a pipeline has no key 'inputs' (did you mean 'params'?)",
          "4:5 unknown-key an operation has no key 'if' (did you mean 'when'?)",
          "5:5 unknown-key an operation has no key 'depends_on' (did you mean 'needs'?)",
          "6:5 unknown-key an operation has no key 'cmd' (did you mean 'command'?)",
          "7:5 unknown-key an operation has no key 'continue-on-error' (did you mean 'allow_failure'?)",
          "8:5 unknown-key an operation has no key 'working-directory' (did you mean 'directory'?)",
          "9:14 unknown-key 'retry' has no key 'max-attempts' (did you mean 'limit'?)",
          "9:31 unknown-key 'retry' has no key 'interval' (did you mean 'base'?)",
          "10:15 unknown-key 'repeat' has no key 'interval' (did you mean 'every'?)",
        ])
  }

  @Test("a familiar key is not one of ours, but its suggestion is")
  func familiarTable() {
    let places = [
      PipelineKey.table.availableKeys, OperationKey.table.availableKeys, RetryKey.table.availableKeys,
      RepeatKey.table.availableKeys, ForEachKey.table.availableKeys,
    ]
    let ours = Set(places.joined())
    for (word, keys) in FamiliarKeys.table {
      #expect(!ours.contains(word), "'\(word)'")
      for key in keys { #expect(ours.contains(key), "'\(key)' for '\(word)'") }
    }
  }

  @Test("a feature without a key has advice, phrased as an instruction") func advice() {
    let ours = Set(PipelineKey.table.availableKeys + OperationKey.table.availableKeys)
    for (word, advice) in FamiliarKeys.advice {
      #expect(!ours.contains(word) && FamiliarKeys.table[word] == nil, "'\(word)'")
      #expect(advice.first?.isLowercase == true && advice.last != ".", "'\(word)'")
    }
    #expect(
      findings(inOperation: "run: ls", "runs_on: linux")
        == [
          "4:5 unknown-key an operation has no key 'runs_on' (all operations run on this computer; 'resources' limits how many at once)"
        ])
  }

  @Test("a key that resembles no other has no suggestion")
  func strangeKeys() {
    #expect(
      findings(inOperation: "run: ls", "qqqqqqqq: 1") == ["4:5 unknown-key an operation has no key 'qqqqqqqq'"])
  }

  @Test("keys of later versions are reported once each, without consequential errors")
  func keysToCome() {
    #expect(
      findings(
        """
        operations:
          - name: fetch
            run: ls
            rerun_on_change: online
            controllers: []
          - name: page
            run: ls
            result: string
            needs: fetch
        """) == [
          "4:5 not-available 'rerun_on_change' is not available in this version",
          "5:5 misplaced-key 'controllers' belongs at the top of the file: a controller starts runs of the whole pipeline (move it there, or put the operation into a separate pipeline)",
        ])
  }

  @Test("every table has exactly one row for each of its keys")
  func tablesAreWhole() {
    func check<Key>(_ table: KeyTable<Key>) {
      #expect(table.rows.map(\.key).sorted() == Key.allCases.map(\.rawValue).sorted(), "\(table.owner)")
    }
    check(PipelineKey.table)
    check(RetentionKey.table)
    check(HostKey.table)
    check(HostLimitKey.table)
    check(HostQueueKey.table)
    check(HostEnvironmentKey.table)
    check(ParameterKey.table)
    check(SecretKey.table)
    check(SpecificationKey.table)
    check(PluginKey.table)
    check(PluginLimitKey.table)
    check(ControllerKey.table)
    check(DefaultsKey.table)
    check(EventKey.table)
    check(OperationKey.table)
    check(RetryKey.table)
    check(CauseKey.table)
    check(RepeatKey.table)
    check(ForEachKey.table)
    check(MatrixKey.table)
    check(SettingFileKey.table)
    check(IncludedKey.table)
    check(WaitKey.table)
    check(ApproveKey.table)
    check(NestedPipelineKey.table)
    check(NotifyKey.table)
    check(HTTPKey.table)
    check(HTTPFormFileKey.table)
    check(HTTPAuthKey.table)
    check(HTTPBasicKey.table)
    check(HTTPExpectKey.table)
    check(HTTPSaveKey.table)
    check(HTTPRedirectKey.table)
    check(HTTPLimitKey.table)
    check(HTTPTLSKey.table)
  }

  @Test("the loader reads the value of every key of a pipeline", arguments: PipelineKey.table.availableKeys)
  func pipelineKeysAreRead(key: String) {
    let rest = key == "operations" ? "name: a" : "operations: [{ name: a, run: ls }]"
    let found = findings("\(rest)\n\(key): { \"?\": [{ \"?\": 1 }] }\n")
    #expect(found.contains { $0.hasPrefix("2:") }, "\(found)")
  }

  // `with` and `params` are read together with their plugin or file.
  @Test(
    "the loader reads the value of every key of an operation",
    arguments: OperationKey.table.availableKeys.filter { !["with", "params"].contains($0) })
  func operationKeysAreRead(key: String) {
    // Any data is a valid value.
    let wrong = key == "value" ? "${{ nothing.at.all }}" : "{ \"?\": [{ \"?\": 1 }] }"
    let action = OperationKey.table.rows.first { $0.key == key }?.actions?.first?.rawValue ?? "run"
    let isAction = ActionKey(rawValue: key) != nil
    let rest = (key == "name" ? "" : "name: a, ") + (isAction ? "" : "\(action): ls, ")
    let found = findings("operations:\n  - { \(rest)\n  \(key): \(wrong) }\n")
    #expect(found.contains { $0.hasPrefix("3:") }, "\(found)")
  }

  @Test("a key that some kinds of actions accept applies only to them", arguments: OperationKey.allCases)
  func takers(_ key: OperationKey) throws {
    let takers = ActionKey.allCases.filter { $0.kind.takes.contains(key) }
    let row = try #require(OperationKey.table.rows.first { $0.key == key.rawValue })
    // `with` is among the rows of the only kind to which it applies.
    #expect((row.actions ?? []) == (key == .with ? [.uses] : takers))
  }

  @Test("the first row of a kind of actions is that of its key", arguments: ActionKey.allCases)
  func firstRows(_ key: ActionKey) {
    #expect(key.kind.rows.first?.key == key.rawValue)
  }

  @Test("a summary is one sentence")
  func summaries() {
    for row in PipelineKey.table.rows + OperationKey.table.rows + ParameterKey.table.rows {
      #expect(row.summary.hasSuffix("."))
    }
  }

  @Test("a missing 'operations' is reported at the start of the pipeline")
  func noOperations() {
    #expect(findings("name: x\n") == ["1:1 missing-key a pipeline needs 'operations'"])
    #expect(
      findings("operations: []\n") == ["1:13 wrong-form 'operations' needs at least one operation, found an empty list"]
    )
    #expect(
      findings("operations:\n  x: {run: ls}\n") == [
        "2:3 wrong-form 'operations' needs a list of operations, found a mapping (write each one as '- name: …')"
      ])
    #expect(findings("- a\n") == ["1:1 wrong-form a pipeline file needs a mapping, found a list"])
  }

  @Test("a pipeline without a name is named after its file")
  func fileNames() throws {
    let text = "operations: [{name: x, run: ls}]"
    #expect(try pipeline(text, path: "/a/b/nightly.build.yaml").name == "nightly.build")
    #expect(try pipeline(text, path: "my pipeline.yml").name == "my-pipeline")
    #expect(try pipeline(text, path: "2024.yaml").name == "_2024")
    #expect(try pipeline(text, path: "-").name == "pipeline")
    #expect(try pipeline("name: own\n" + text).name == "own")
  }
}
