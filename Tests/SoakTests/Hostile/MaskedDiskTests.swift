import Foundation
import Testing

extension Soak {
  @Suite("Masked output is never truncated silently") struct MaskedDiskTests {
    /// What the operation prints, including the final newline.
    private static let printed = 300_000
    private static let pipeline = """
      name: masked
      secrets: { token: { env: SOAK_TOKEN } }
      order: chain
      operations:
        - name: prints
          env: { TOKEN: "${{ secrets.token }}" }
          run: head -c \(printed - 1) /dev/zero | tr '\\0' x; echo
          result: string
        - { name: counts, inject: prints, run: 'wc -c >"$SOAK_COUNT"' }
      """

    @Test("by a limit on file sizes that is reached at any write")
    func limit() async throws {
      // In units of 512 bytes, as POSIX shells count: from a limit that allows nothing to one that allows everything.
      for blocks in stride(from: 0, through: 1200, by: Soak.count(full: 8, short: 150)) {
        try await prove(try Scratch(), workspace: "space", preparation: "ulimit -f \(blocks)")
      }
    }

    @Test("by a disk that fills up at any write", .enabled("no disk may be mounted") { try await SmallDisk.isPossible })
    func disk() async throws {
      for size in stride(from: 200, through: 1100, by: Soak.count(full: 12, short: 225)) {
        let scratch = try Scratch()
        let disk = try #require(await SmallDisk(scratch("disk"), size: "\(size)k"))
        do {
          try await prove(scratch, workspace: disk.path + "/space", preparation: nil)
          try await disk.unmount()
        } catch {
          try await disk.unmount()
          throw error
        }
      }
    }

    private func prove(_ scratch: Scratch, workspace: String, preparation: String?) async throws {
      let tool = Tool(
        scratch: scratch, workspace: workspace,
        environment: ["SOAK_TOKEN": "a-token-of-some-length", "SOAK_COUNT": scratch("count")], preparation: preparation)
      let ending = try await tool.run(pipeline: Self.pipeline, "--quiet")
      #expect(!ending.overran && ending.signal == nil, ending.summary)
      let count = contents(of: scratch("count"))?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
      if ending.code == 0 {
        // One trailing newline is not part of a result.
        #expect(count == "\(Self.printed - 1)", ending.summary)
      } else {
        #expect(ending.code == 1 || ending.code == 3, ending.summary)
        #expect(!ending.error.isEmpty, "it failed without a word")
        #expect(count.isEmpty || count == "\(Self.printed - 1)", "a shortened result was handed on: \(count)")
      }
    }
  }
}
