// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
]

// The tests of Operations, LinuxObservers and Workspace under the thread sanitizer: `make test-tsan` at the root of the checkout. A package of its own, as
// that of the root has its targets all built before any test runs: this one takes in what these tests need and no more, and
// puts beside it what the sanitizer has to be told.
//
// A run without reports shows less than it seems to: the compiler does not instrument how a value is copied whose type the
// code knows only as a generic parameter, such as the state of a store. The sanitizer sees such values being changed; when
// one is read without its lock, it is silent.
let package = Package(
  name: "penstock-thread-sanitizer",
  dependencies: [
    // What is looked at.
    .package(name: "penstock", path: "../..")
  ],
  targets: [
    .target(name: "CMutexAnnotations"),
    .testTarget(name: "MutexAnnotationsTests", dependencies: ["CMutexAnnotations"], swiftSettings: settings),
    // A link to the tests of the root, which know nothing of the sanitizer.
    .testTarget(
      name: "OperationsTests",
      dependencies: [
        "CMutexAnnotations",
        .product(name: "LinuxObservers", package: "penstock"),
        .product(name: "Operations", package: "penstock"),
        .product(name: "OperationsTesting", package: "penstock"),
      ],
      // The examples of the documents need more of the package, and share nothing between threads.
      exclude: ["Contract.md", "Documents"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "LinuxObserversTests",
      dependencies: [
        "CMutexAnnotations",
        .product(name: "LinuxObservers", package: "penstock"),
        .product(name: "Operations", package: "penstock"),
        .product(name: "OperationsTesting", package: "penstock"),
      ],
      swiftSettings: settings
    ),
    // Links as well, with the file system that fails and the other process.
    .target(name: "CFaultVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "WorkspaceChild", dependencies: ["CMutexAnnotations", .product(name: "Workspace", package: "penstock")],
      swiftSettings: settings),
    .executableTarget(
      name: "WorkspaceScript", dependencies: ["CMutexAnnotations", .product(name: "Workspace", package: "penstock")],
      swiftSettings: settings),
    .testTarget(
      name: "WorkspaceTests",
      dependencies: [
        "CFaultVFS", "CMutexAnnotations", "WorkspaceChild", "WorkspaceScript",
        .product(name: "SQLite", package: "penstock"),
        .product(name: "Workspace", package: "penstock"),
      ],
      swiftSettings: settings
    ),
  ]
)
