import Operations
import OperationsTesting
import Testing

@Suite("Memory pressure")
struct MemoryPressureTests {
  @Test("Warning and critical pressure evict by default")
  func standard() {
    #expect(MemoryPressure.defaultEvictable == [.warning, .critical])
    #expect(!MemoryPressure.defaultEvictable.contains(.normal))
    #expect("\(MemoryPressure.defaultEvictable)" == "warning and critical")
    #expect("\(MemoryPressure())" == "none")
  }

  @Test("A mock reports what the test sends")
  func mock() {
    let (source, seen) = (MockMemoryPressureSource(), Log<MemoryPressure>())
    let subscription = source.subscribe { seen.append($0) }
    source.send(.critical)
    subscription.cancel()
    source.send(.normal)
    #expect(seen.elements == [.critical])
    #expect(source.subscriberCount == 0)
  }
}
