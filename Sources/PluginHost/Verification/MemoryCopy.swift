import CProcess

/// Copies of plugins' files in memory, which stay as they are whatever is written to the files.
enum MemoryCopy {
  /// A copy of what `source` shows, whose name in lists of mapped files is made of the last component of `path`.
  ///
  /// - Returns: An open descriptor, which is the caller's, or the negative error number.
  static func make(of source: Int32, path: String) -> Int32 {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map {
      String(decoding: $0.suffix(200), as: UTF8.self)
    }
    return penstock_memory_copy("penstock-\(name ?? "plugin")", source)
  }
}
