import Testing
import Values

@testable import RunHistory

@Suite("Recorded artifacts") struct KeptArtifactTests {
  private let artifact = KeptArtifact(
    name: "app", folder: "runs/\(RunID.generate().text)/0-1.artifacts/app", paths: ["out/app"], isList: false, files: 1,
    size: 3, item: .init(index: 1, count: 3))

  @Test("are read as they were written") func roundTrip() {
    #expect(KeptArtifact(artifact.jsonValue) == artifact)
  }

  @Test(
    "are ignored if a record leads out of the directory of a run",
    arguments: [
      ("/etc", ["passwd"]), ("runs/../../x/y", ["z"]), ("runs/no-run/0-1.artifacts/app", ["z"]),
      ("RUN/folder/app", ["z"]), ("RUN/0-1.artifacts/..", ["z"]), ("RUN/0-1.artifacts/app", ["../z"]),
      ("RUN/0-1.artifacts/app", ["/z"]), ("RUN/0-1.artifacts/app", [""]), ("RUN/0-1.artifacts/app", ["a//b"]),
    ])
  func hostile(folder: String, paths: [String]) {
    var hostile = artifact
    hostile.folder = folder.replacing("RUN", with: "runs/\(RunID.generate().text)")
    hostile.paths = paths
    #expect(KeptArtifact(hostile.jsonValue) == nil)
  }

  @Test("of a loop are a list, with null for each item that kept nothing") func loop() {
    #expect(
      KeptArtifact.value(of: [artifact], isLoop: true, in: "/w")
        == [.null, ["app": .string("/w/\(artifact.folder)/out/app")], .null])
  }

  @Test("exist only for a success") func states() {
    var record = OperationRecord(run: RunID.generate(), ordinal: 0, name: "a", position: 0, state: .succeeded)
    record.detail = OperationReason.detail(nil, artifacts: [artifact])?.text
    #expect(record.artifacts == [artifact])
    record.state = .failed
    #expect(record.artifacts == [])
  }
}
