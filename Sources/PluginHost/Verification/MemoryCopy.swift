import CProcess

/// Copies of plugins' files in memory, which later writes to the files do not affect.
enum MemoryCopy {
  /// Copies `source`. In lists of mapped files, the copy's name is derived from the last component of `path`.
  ///
  /// - Returns: An open descriptor that the caller owns, or the negative error number.
  static func make(of source: Int32, path: String) -> Int32 {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map {
      String(decoding: $0.suffix(200), as: UTF8.self)
    }
    return penstock_memory_copy("penstock-\(name ?? "plugin")", source)
  }
}
