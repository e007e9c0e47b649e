import CAllocations
import Glibc
import Operations

/// What a store takes that nobody uses: what the process takes more with many of them, their part of the client included.
enum MemoryFigure {
  private static let count = 100_000

  static func measure() throws -> Figures {
    let client = OperationClient()
    // What the first store takes, such as the types' own records, is not what each takes.
    _ = client.store(for: Empty(id: -1))
    let allocatedBefore = allocations_bytes_in_use()
    let residentBefore = try residentBytes()
    for id in 0..<count { _ = client.store(for: Empty(id: id)) }
    let allocated = allocations_bytes_in_use() - allocatedBefore
    let resident = try residentBytes() - residentBefore
    guard client.stores(matching: OperationPath()).count == count + 1 else {
      throw StoresError("the client does not have \(count) stores more")
    }
    return Figures(values: [
      "residentBytes": Double(resident) / Double(count), "allocatedBytes": Double(allocated) / Double(count),
    ])
  }

  private static func residentBytes() throws -> Int {
    let pages = try ProcessFile.text("/proc/self/statm").split(separator: " ").dropFirst().first.flatMap { Int($0) }
    guard let pages else { throw StoresError("the kernel does not tell how much memory is resident") }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }
}
