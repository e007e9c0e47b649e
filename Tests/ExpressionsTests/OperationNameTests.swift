import Expressions
import Testing

@Suite("Names of operations") struct OperationNameTests {
  @Test(
    "A name in a path ends at a slash, except within the brackets of an item",
    arguments: [
      ("build", ["build"]), ("deploy/build", ["deploy", "build"]),
      ("deploy[eu/west]/build", ["deploy[eu/west]", "build"]),
      ("a[b/c[0]]", ["a[b/c[0]]"]), ("a/b[in/x.csv]", ["a", "b[in/x.csv]"]), ("a[x/y", ["a[x/y"]), ("a/", ["a", ""]),
      ("", [""]),
    ])
  func paths(text: String, names: [String]) {
    #expect(OperationName.path(text) == names)
  }

  @Test("An item consists of a loop and the text in brackets")
  func items() {
    #expect(OperationName.item("a[b[0]]")?.loop == "a")
    #expect(OperationName.item("a[b[0]]")?.item == "b[0]")
    #expect(OperationName.item("a[]") == nil)
    #expect(OperationName.item("a") == nil)
    #expect(OperationName.item("a[b]c") == nil)
  }
}
