/// Carries a value that belongs to the event loop through code that runs elsewhere, back to the event loop.
struct LoopBound<Value>: @unchecked Sendable {
  // @unchecked: the value is only used on the event loop.
  let value: Value
  init(_ value: Value) { self.value = value }
}
