import Foundation
import Testing

extension Soak {
  @Suite("Reading a workspace disturbs no host") struct ReaderTests {
    @Test("a reader that constantly opens every file of the workspace neither stops nor falsifies a run")
    func reader() async throws {
      let operations = Soak.count(full: 4000, short: 300)
      let scratch = try Scratch()
      let tool = Tool(scratch: scratch)
      // Some print and some do not: empty files are passed on to later attempts.
      let text = """
        name: busy
        concurrency: 4
        operations:
          - name: each
            for_each: { in: "${{ fromJSON(params.numbers) }}" }
            inject: { n: "${{ item }}" }
            run: "[ $((n % 3)) = 0 ] || echo $n"
        params: { numbers: { type: string } }
        """
      let numbers = "[" + (1...operations).map(String.init).joined(separator: ",") + "]"
      let path = tool.workspacePath
      let file = try scratch.write(text, to: "busy.yaml")
      let opened = try await withThrowingTaskGroup(of: Int.self) { group in
        group.addTask {
          var opened = 0
          while !Task.isCancelled {
            opened += Self.openEverything(below: path)
            await Task.yield()
          }
          return opened
        }
        let ending = try await tool.run("run", file, "-p", "numbers=\(numbers)", "--quiet")
        #expect(ending.code == 0, ending.summary)
        group.cancelAll()
        return try await group.next() ?? 0
      }
      #expect(opened > operations)
      let probe = try HistoryProbe(path)
      let printed = try probe.rows("SELECT operation, stdout_file FROM attempts WHERE stdout_file IS NOT NULL")
      for row in printed {
        let index = row[0].drop { $0 != "[" }.dropFirst().prefix { $0 != "]" }
        guard let index = Int(index), let text = contents(of: "\(path)/\(row[1])"), !text.isEmpty else { continue }
        #expect(text == "\(index + 1)\n", "\(row)")
      }
      try tool.expectRest()
    }

    /// Opens every file below a directory and reads one byte of it; returns how many were opened.
    private static func openEverything(below path: String) -> Int {
      guard let entries = FileManager.default.enumerator(atPath: path) else { return 0 }
      var opened = 0
      for case let entry as String in entries {
        // Not the database: closing a descriptor of it would release the locks that this process holds on it.
        guard !entry.hasPrefix("workspace.db") else { continue }
        let descriptor = open("\(path)/\(entry)", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { continue }
        var byte: UInt8 = 0
        _ = read(descriptor, &byte, 1)
        close(descriptor)
        opened += 1
      }
      return opened
    }
  }
}
