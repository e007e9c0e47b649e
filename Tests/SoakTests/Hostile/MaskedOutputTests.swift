import Foundation
import Testing

extension Soak {
  @Suite("Masked output that cannot be written completely is not used as a result") struct MaskedOutputTests {
    private static let size = 1_500_000
    private static let pipeline = """
      secrets: { token: { env: TOKEN } }
      operations:
        - name: print
          env: { SECRET: "${{ secrets.token }}" }
          run: |
            head -c \(size / 2) /dev/zero | tr '\\0' x
            head -c \(size / 2) /dev/zero | tr '\\0' x >&2
            head -c \(size / 2) /dev/zero | tr '\\0' y
          result: string
        - name: use
          inject: print
          run: wc -c > "$EFFECTS/used"
      """

    @Test(
      "a limit on file sizes",
      arguments: Soak.isFull ? Array(stride(from: 100, through: 4100, by: 50)) : [200, 1300, 2000, 2950, 4000])
    func limit(blocks: Int) async throws {
      // In units of 512 bytes, as POSIX shells count.
      try await print(try Scratch(), workspace: "space", preparation: "ulimit -f \(blocks)")
    }

    @Test(
      "a disk that fills up", .enabled("no disk may be mounted") { try await SmallDisk.isPossible },
      arguments: Soak.isFull ? Array(stride(from: 600, through: 5000, by: 100)) : [900, 1700, 2500, 5000])
    func disk(kibibytes: Int) async throws {
      let scratch = try Scratch()
      let disk = try #require(await SmallDisk(scratch("disk"), size: "\(kibibytes)k"))
      do {
        try await print(scratch, workspace: disk.path + "/space", preparation: nil)
        try await disk.unmount()
      } catch {
        try await disk.unmount()
        throw error
      }
    }

    /// No operation ever receives a part of the output, and if none receives any, the command says why.
    private func print(_ scratch: Scratch, workspace: String, preparation: String?) async throws {
      let effects = try scratch.directory("effects")
      let tool = Tool(
        scratch: scratch, workspace: workspace,
        environment: ["EFFECTS": effects, "TOKEN": "hunter2-correct-horse"], preparation: preparation)
      let ending = try await tool.run(pipeline: Self.pipeline, "--quiet")
      #expect(!ending.overran && ending.signal == nil, ending.summary)
      let used = contents(of: "\(effects)/used")?.trimmingCharacters(in: .whitespacesAndNewlines)
      if ending.code == 0 {
        #expect(used == "\(Self.size)", ending.summary)
      } else {
        #expect(used == nil || used == "\(Self.size)", ending.summary)
        #expect(["full", "large", "space"].contains { ending.error.contains($0) }, ending.summary)
      }
    }
  }
}
