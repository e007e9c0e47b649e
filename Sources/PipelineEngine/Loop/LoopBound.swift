/// Carries something of the event loop's through code that runs elsewhere, back to the loop.
struct LoopBound<Value>: @unchecked Sendable {
  // @unchecked: the value is only ever used on the loop.
  let value: Value
  init(_ value: Value) { self.value = value }
}
