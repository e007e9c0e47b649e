import RunHistory
import Testing
import Values

@Suite("The label of an item") struct ItemLabelTests {
  private func item(_ text: String?, parent: Int? = 0, detail: String? = nil) -> OperationRecord {
    OperationRecord(
      run: .generate(), ordinal: 1, name: "a[0]", position: 0, parent: parent, item: text, state: .running,
      detail: detail)
  }

  @Test(
    "By default, an item is labelled by its value",
    arguments: [
      (#""a b.csv""#, "a b.csv"), ("7", "7"), ("true", "true"), ("[1,2]", "[1,2]"), (#""""#, nil), ("{}", nil),
      (#"{"system":"linux","cpu":64,"tags":["x"]}"#, #"linux, 64, ["x"]"#), ("masked ***", "masked ***"),
    ])
  func values(text: String, label: String?) {
    #expect(item(text).label == label)
  }

  @Test("A label given by the loop takes precedence, and is not part of a reason")
  func recorded() {
    let record = item("7", detail: OperationReason.detail(nil, label: "seven")?.text)
    #expect(record.detail == #"{"label":"seven"}"#)
    #expect(record.label == "seven")
    #expect(record.operationReason == nil)
    let waiting = OperationReason.resources(["gpu"])
    let detail = OperationReason.detail(waiting, label: "the secret", masking: { $0.replacing("secret", with: "***") })
    #expect(detail?["label"] == .string("the ***"))
    #expect(OperationReason(code: waiting.code, detail: detail, state: .waiting) == waiting)
  }

  @Test("A value that is too long and an operation that is not an item have no label; a long label is truncated")
  func none() {
    let long = String(repeating: "x", count: ItemLabel.longest)
    #expect(item("7", parent: nil).label == nil)
    #expect(item(nil).label == nil)
    #expect(item(JSONValue.string(long).text).label == nil)
    #expect(ItemLabel.text(of: .string(long + "y")) == nil)
    #expect(ItemLabel.bounded(long + "y") == long)
    #expect(ItemLabel.bounded("") == nil)
  }
}
