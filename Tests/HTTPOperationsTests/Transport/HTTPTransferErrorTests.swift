import HTTPOperations
import Testing

@Suite("Transfer errors")
struct HTTPTransferErrorTests {
  @Test("codes are unique and in lower case with hyphens")
  func codesAreStable() {
    let codes = HTTPTransferError.Code.allCases.map(\.rawValue)
    #expect(Set(codes).count == codes.count)
    for code in codes {
      #expect(code.utf8.allSatisfy { (97...122).contains($0) || $0 == 45 }, "\(code)")
    }
  }
}
