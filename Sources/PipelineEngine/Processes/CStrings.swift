import Glibc

/// A NUL-terminated string whose memory lives as long as the value.
final class CString: @unchecked Sendable {
  // @unchecked: a pointer is not Sendable by itself, but this memory is not modified after `init`, and is freed only when the value is no longer referenced.
  let pointer: UnsafeMutablePointer<CChar>

  /// Copies `text`. C code does not see anything after a NUL in it; callers check for that where it matters.
  init(_ text: String) {
    let bytes = text.utf8.count
    pointer = .allocate(capacity: bytes + 1)
    var text = text
    text.withUTF8 { source in
      source.withMemoryRebound(to: CChar.self) {
        pointer.update(from: $0.baseAddress ?? UnsafePointer(pointer), count: bytes)
      }
    }
    pointer[bytes] = 0
  }

  /// Copies a C string, whatever its bytes.
  init(copying source: UnsafePointer<CChar>) {
    let count = strlen(source) + 1
    pointer = .allocate(capacity: count)
    pointer.update(from: source, count: count)
  }

  deinit { pointer.deallocate() }

  /// The text as a Swift string.
  var string: String { String(cString: pointer) }
}

/// A NULL-terminated array of C strings, such as `argv` and `envp`, that shares its strings with other lists.
struct CStringList: Sendable {
  private let shared: [CString]
  private let extra: [CString]

  /// Creates a list of `strings` followed by `extra`.
  init(_ strings: [CString], extra: [CString] = []) {
    shared = strings
    self.extra = extra
  }

  /// All strings, in order.
  var strings: [CString] { shared + extra }

  /// Returns this list followed by `more`.
  func appending(_ more: [CString]) -> CStringList { CStringList(shared, extra: extra + more) }

  /// Calls `body` with the array, whose pointers are valid only during the call.
  func withPointers<Result>(_ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result) -> Result {
    let count = shared.count + extra.count
    return withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<CChar>?.self, capacity: count + 1) { buffer in
      guard let base = buffer.baseAddress else {
        preconditionFailure("a temporary allocation of at least one element has an address")
      }
      for index in shared.indices { (base + index).initialize(to: shared[index].pointer) }
      for index in extra.indices { (base + shared.count + index).initialize(to: extra[index].pointer) }
      (base + count).initialize(to: nil)
      return withExtendedLifetime((shared, extra)) { body(base) }
    }
  }
}

/// The environment of a process, in which later values replace earlier ones.
///
/// Copies share their strings, so an operation's environment costs only what it adds to that of its run.
struct ProcessEnvironment: Sendable {
  private var entries: [CString] = []
  private var positions: [Name: Int] = [:]

  /// The bytes of a name: names that look alike or are not valid text are still distinct.
  private struct Name: Hashable {
    let bytes: [UInt8]
    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
  }

  /// Creates an empty environment.
  init() {}

  /// Returns the environment of this process.
  static func inherited() -> ProcessEnvironment { ProcessEnvironment(copying: environ) }

  /// Copies `list`, which ends with a null pointer; its values need not be UTF-8.
  init(copying list: UnsafePointer<UnsafeMutablePointer<CChar>?>) {
    var next = list
    while let entry = next.pointee {
      if let equals = strchr(entry, Int32(UInt8(ascii: "="))) {
        let length = UnsafePointer(equals) - UnsafePointer(entry)
        put(CString(copying: entry), for: Name(UnsafeRawBufferPointer(start: entry, count: length)))
      }
      next = next.advanced(by: 1)
    }
  }

  /// Creates an environment of these values.
  init(_ values: [String: String]) {
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      put(CString("\(name)=\(value)"), for: Name(name.utf8))
    }
  }

  /// The values by name. Bytes that are not UTF-8 are replaced.
  var values: [String: String] {
    var values: [String: String] = [:]
    for entry in entries {
      let parts = entry.string.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
    }
    return values
  }

  /// The value of `name`.
  subscript(name: String) -> String? {
    get {
      guard let position = positions[Name(name.utf8)] else { return nil }
      return String(cString: entries[position].pointer + name.utf8.count + 1)
    }
    set {
      guard let newValue else {
        guard let position = positions.removeValue(forKey: Name(name.utf8)) else { return }
        entries.remove(at: position)
        for (other, index) in positions where index > position { positions[other] = index - 1 }
        return
      }
      put(CString("\(name)=\(newValue)"), for: Name(name.utf8))
    }
  }

  private mutating func put(_ entry: CString, for name: Name) {
    if let position = positions[name] {
      entries[position] = entry
    } else {
      positions[name] = entries.count
      entries.append(entry)
    }
  }

  /// The environment as `envp`.
  var list: CStringList { CStringList(entries) }
}
