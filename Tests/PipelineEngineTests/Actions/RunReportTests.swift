import Testing

@testable import PipelineEngine

@Suite("Reports of runs")
struct RunReportTests {
  @Test("are signed as specified by RFC 2104, checked with the test vector of RFC 4231, 4.3")
  func signature() {
    let body = Array("what do ya want for nothing?".utf8)
    #expect(
      RunReport.signature(of: body, key: "Jefe")
        == "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
  }
}
