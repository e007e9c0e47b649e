import Glibc
import OperatingSystem

/// The files of a new plugin.
struct PluginScaffold {
  /// A language for a new plugin.
  enum Language: String, CaseIterable {
    case swift, c, cpp, rust
  }

  /// A file of the plugin.
  struct File {
    /// Relative to the plugin's directory.
    var path: String
    var text: String
    var isProgram = false
    /// Whether `text` is the target of a symbolic link.
    var isLink = false
  }

  /// The plugin's id.
  let name: String
  let language: Language
  /// The path of Penstock's sources; nil if unknown, and for plugins in C.
  let checkout: String?

  /// Returns whether `name` is a valid plugin id.
  static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.enumerated().allSatisfy { index, byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): index > 0
        default: false
        }
      }
  }

  /// The name as a Swift type: `release-notes` becomes `ReleaseNotes`.
  var typeName: String {
    name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// The files to write, in the order in which they should be read.
  var files: [File] {
    switch language {
    case .c: filesInC
    case .cpp: filesInCPlusPlus
    case .rust: filesInRust
    case .swift: filesInSwift
    }
  }

  /// Returns a pipeline that tries the plugin, whose shared object is at `object` beside it.
  func pipeline(_ object: String) -> File {
    File(
      path: "try.yaml",
      text: filled(
        """
        # make try
        name: try-NAME
        plugins:
          NAME: ./\(object)
        operations:
          - name: greet
            uses: NAME.greet
            with: { whom: Ann }

        """))
  }

  /// Returns a makefile that builds, tests and tries a plugin of one source file: `build` creates `NAME.so`.
  func makefile(sources: String, variables: String, build: String) -> String {
    filled(
      """
      \(variables)
      PENSTOCK ?= penstock
      STRIP ?= strip

      NAME.so: \(sources)
      \t\(build)

      # Checks the plugin against the whole contract.
      test: NAME.so
      \t"$(PENSTOCK)" plugins verify ./NAME.so
      \t"$(PENSTOCK)" plugins check ./NAME.so

      # Runs the pipeline try.yaml with the plugin.
      try: NAME.so
      \t"$(PENSTOCK)" run try.yaml

      \(dist("NAME.so"))
      clean:
      \trm -rf NAME.so dist

      .PHONY: test try dist clean

      """)
  }

  /// Returns the target of a makefile that makes the files to publish: a stripped copy of `object`, named by version and architecture, and its SHA-256. It
  /// prints the line of `plugins.lock`, which lacks only the URL.
  func dist(_ object: String) -> String {
    """
    # Makes the files to publish in dist: the stripped shared object, and its SHA-256. Prints its line of plugins.lock, to which the URL is to be added.
    dist: test
    \trm -rf dist && mkdir -p dist
    \t@version=$$("$(PENSTOCK)" plugins inspect --json ./\(object) | grep -o '"version":"[^"]*"' | head -n 1 | cut -d '"' -f 4) && test -n "$$version" && \\
    \tfile=NAME-$$version-$$(uname -m).so && cp \(object) dist/$$file && $(STRIP) -s dist/$$file && \\
    \t(cd dist && sha256sum $$file > $$file.sha256) && \\
    \techo "NAME $$version $$(uname -m) $$(cut -d ' ' -f 1 dist/$$file.sha256)"

    """
  }

  /// Returns a template with `NAME` and `TYPE` replaced by the plugin's names.
  func filled(_ template: String) -> String {
    template.replacing("TYPE", with: typeName).replacing("NAME", with: name)
  }

  // MARK: Writing

  /// Writes the files into a directory that must not exist yet.
  func write(to directory: String) throws {
    try Self.makeParents(of: directory)
    guard mkdir(directory, 0o777) == 0 else {
      guard errno == EEXIST else { throw Self.failure(directory) }
      throw CommandFailure("'\(directory)' exists already and is not changed; name another with --directory")
    }
    for file in files {
      let path = "\(directory)/\(file.path)"
      try Self.makeParents(of: path)
      if file.isLink {
        guard symlink(file.text, path) == 0 else { throw Self.failure(path) }
        continue
      }
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file.isProgram ? 0o777 : 0o666)
      guard descriptor >= 0 else { throw Self.failure(path) }
      let output = TextOutput(descriptor: descriptor, capacity: 0)
      output.write(file.text)
      let failure = output.failure
      close(descriptor)
      if let failure { throw Self.failure(path, failure) }
    }
  }

  private static func makeParents(of path: String) throws {
    var at = path.utf8.startIndex
    while let slash = path.utf8[at...].dropFirst().firstIndex(of: UInt8(ascii: "/")) {
      let parent = String(path[..<slash])
      guard mkdir(parent, 0o777) == 0 || errno == EEXIST else { throw failure(parent) }
      at = slash
    }
  }

  private static func failure(_ path: String, _ number: Int32 = errno) -> CommandFailure {
    CommandFailure("cannot write '\(path)': \(SystemError.text(of: number))")
  }

  // MARK: The checkout

  /// Returns the path without symbolic links; nil if it does not exist.
  static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns whether the directory contains Penstock's sources.
  static func isCheckout(_ path: String) -> Bool {
    access("\(path)/Package.swift", R_OK) == 0 && access("\(path)/Sources/PluginKit", R_OK) == 0
  }

  /// Returns the nearest directory above `file` that contains Penstock's sources.
  static func checkout(above file: String) -> String? {
    guard var path = resolved(file) else { return nil }
    while let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      path = String(path[..<slash])
      if isCheckout(path) { return path }
    }
    return nil
  }
}
