// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors where everything is tested, and only there: a later compiler must not keep anybody from building.
// It concerns the targets of this package alone; dependencies keep their warnings to themselves.
let warningsAreErrors = Context.environment["PENSTOCK_WARNINGS"] == "error"

let settings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
  ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

let cSettings: [CSetting] = warningsAreErrors ? [.treatAllWarnings(as: .error)] : []

/// A standard plugin: its logic, which tests import, and the shared object that exports it. A plugin `Name` lives in
/// `Plugins/Name/Sources` and `Plugins/Name/Export`, and is built as `libpenstock-name.so`.
struct StandardPlugin {
  let name: String
  let dependencies: [Target.Dependency]

  init(_ name: String, _ dependencies: [Target.Dependency] = []) {
    self.name = name
    self.dependencies = dependencies
  }

  var logic: Target.Dependency { .byName(name: "\(name)Plugin") }

  var product: Product {
    // As its id is written: `FileWatch` is `file-watch`.
    let id = name.enumerated().map { $0 > 0 && $1.isUppercase ? "-\($1)" : "\($1)" }.joined().lowercased()
    return .library(name: "penstock-\(id)", type: .dynamic, targets: ["\(name)PluginExport"])
  }

  var targets: [Target] {
    [
      .target(
        name: "\(name)Plugin", dependencies: ["PluginKit"] + dependencies, path: "Plugins/\(name)/Sources",
        swiftSettings: settings),
      .target(
        name: "\(name)PluginExport", dependencies: [logic, "PluginKit"], path: "Plugins/\(name)/Export",
        swiftSettings: settings,
        linkerSettings: [
          // The Swift runtime is inside, nothing but `penstock_plugin` can be seen from outside, and what is not used
          // is left out: the file runs wherever the C library does, and nothing of the host's can take its functions'
          // place.
          .unsafeFlags([
            "-static-stdlib", "-Xlinker", "--version-script=\(Context.packageDirectory)/Plugins/exports.map",
            "-Xlinker", "--gc-sections",
          ]),
          .unsafeFlags(["-Xlinker", "-s"], .when(configuration: .release)),
        ]),
    ]
  }
}

// One line for each, in the order of the alphabet.
let standardPlugins: [StandardPlugin] = [
  StandardPlugin("Calendar", ["CLinuxObservers", "LinuxObservers", "Schedules"]),
  StandardPlugin("Cron", ["Schedules"]),
  StandardPlugin("FileWatch", ["CLinuxObservers", "LinuxObservers"]),
  StandardPlugin("Interval"),
  StandardPlugin("Lines", ["CProcess"]),
  StandardPlugin("Network", ["LinuxObservers"]),
  StandardPlugin("System", ["LinuxObservers"]),
]

/// The code of all of them, with one Swift runtime: what the plugins of the release build share. See `Plugins/Standard`.
let standardPluginsLibrary = Target.target(
  name: "StandardPlugins", dependencies: ["CPluginKit", "PluginKit"] + standardPlugins.map(\.logic),
  path: "Plugins/Standard/Library",
  swiftSettings: settings,
  linkerSettings: [
    .unsafeFlags([
      "-static-stdlib", "-Xlinker", "--version-script=\(Context.packageDirectory)/Plugins/Standard/exports.map",
      "-Xlinker", "--gc-sections", "-Xlinker", "-soname=libStandardPlugins.so",
    ]),
    .unsafeFlags(["-Xlinker", "-s"], .when(configuration: .release)),
  ])

let package = Package(
  name: "penstock",
  products: [
    .executable(name: "penstock", targets: ["penstock"]),
    .executable(name: "penstock-host", targets: ["penstock-host"]),
    .library(name: "HTTPOperations", targets: ["HTTPOperations"]),
    .library(name: "LinuxObservers", targets: ["LinuxObservers"]),
    .library(name: "Operations", targets: ["Operations"]),
    .library(name: "OperationsTesting", targets: ["OperationsTesting"]),
    .library(name: "SQLite", targets: ["SQLite"]),
    .library(name: "Workspace", targets: ["Workspace"]),
    // One product of five modules: a program imports those it uses.
    .library(
      name: "Pipelines", targets: ["Expressions", "PipelineLanguage", "RunHistory", "RunReports", "PipelineEngine"]),
    .library(name: "PluginHost", targets: ["PluginHost"]),
    .library(name: "PluginKit", targets: ["PluginKit"]),
    .library(name: "PluginKitTesting", targets: ["PluginKitTesting"]),
    .library(name: "penstock-signals", type: .dynamic, targets: ["penstock-signals"]),
    .library(name: "StandardPlugins", type: .dynamic, targets: ["StandardPlugins"]),
  ] + standardPlugins.map(\.product),
  dependencies: [
    // Arguments, help, completions and the manual of the command-line tool.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    // Ordered dictionaries (JSON objects keep their order), deques and heaps of the scheduler.
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    // SHA-256 of definitions, fingerprints and `hashFiles`.
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    // Methods, fields and statuses of HTTP, as other Swift libraries spell them: names and values that cannot break a
    // head.
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    // What the libraries have to say to the host's log.
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    // For the tests that start the built `penstock`.
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
  ],
  targets: [
    .target(
      name: "Values",
      dependencies: [.product(name: "OrderedCollections", package: "swift-collections")],
      swiftSettings: settings
    ),
    .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .systemLibrary(name: "CLibSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // Its headers alone; CCurlLoader loads the library. They are where every compiler looks.
    .systemLibrary(name: "CLibCurl"),
    // Defines libcurl's functions, and loads the library when one is called.
    .target(name: "CCurlLoader", dependencies: ["CLibCurl"], cSettings: cSettings),
    .target(name: "CProcess", cSettings: cSettings),
    .target(name: "CLinuxObservers", cSettings: cSettings),
    .target(
      name: "Operations", dependencies: [.product(name: "Logging", package: "swift-log")], swiftSettings: settings),
    .target(
      name: "LinuxObservers", dependencies: ["CLinuxObservers", "OperatingSystem", "Operations"],
      swiftSettings: settings),
    .target(name: "OperationsTesting", dependencies: ["Operations"], swiftSettings: settings),
    .target(name: "SQLite", dependencies: ["CLibSQLite"], swiftSettings: settings),
    .target(
      name: "Workspace",
      dependencies: ["CLibSQLite", "OperatingSystem", "SQLite"],
      swiftSettings: settings
    ),
    .target(
      name: "HTTPOperations",
      dependencies: [
        "CCurlLoader", "CLibCurl", "LinuxObservers", "OperatingSystem", "Operations",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: settings
    ),
    .target(name: "Schedules", dependencies: ["OperatingSystem", "Values"], swiftSettings: settings),
    .target(name: "OperatingSystem", dependencies: ["CProcess"], swiftSettings: settings),
    .target(name: "PluginABI", cSettings: cSettings),
    // Says which plugin in this process ended it; the other one catches `_exit` for the tool.
    .target(name: "CPluginGuard", cSettings: cSettings),
    .target(name: "CEndOfProcess", dependencies: ["CPluginGuard"], cSettings: cSettings),
    // Keeps libdispatch from ending a process that has no descriptor left.
    .target(name: "CWorkerMonitor", cSettings: cSettings),
    .target(
      name: "PluginHost",
      dependencies: [
        "CPluginGuard", "CProcess", "Operations", "OperatingSystem", "PluginABI", "Values",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "PluginInstallation",
      dependencies: ["HTTPOperations", "OperatingSystem", "Operations", "PluginHost", "Values"],
      swiftSettings: settings
    ),
    .target(name: "CPluginHeader", dependencies: ["PluginABI"], cSettings: cSettings),
    .target(name: "CPluginKit", dependencies: ["PluginABI"], cSettings: cSettings),
    .target(
      name: "penstock-signals", dependencies: ["PluginABI"], path: "Plugins/Signals", publicHeadersPath: ".",
      cSettings: cSettings,
      // It is plain C. SwiftPM links it as if it were Swift: the start files are what would bring the runtime in.
      linkerSettings: [
        .unsafeFlags([
          "-static-stdlib", "-nostartfiles", "-Xlinker", "--gc-sections", "-Xlinker", "--as-needed",
          // Without a name of its own, it contains the path where it was linked.
          "-Xlinker", "-soname=libpenstock-signals.so",
        ])
      ]),
    .target(
      name: "PluginKit",
      dependencies: [
        "CPluginKit", "Operations", "Values", .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings
    ),
    .target(name: "PluginKitTesting", dependencies: ["CPluginKit", "PluginKit"], swiftSettings: settings),
    .target(
      name: "Expressions",
      dependencies: [
        "Schedules", "Values",
        .product(name: "OrderedCollections", package: "swift-collections"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "PipelineLanguage",
      dependencies: [
        "CLibYAML", "Expressions", "HTTPOperations", "OperatingSystem", "Operations", "PluginHost", "Values",
        .product(name: "OrderedCollections", package: "swift-collections"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "RunHistory",
      dependencies: [
        "CProcess", "Expressions", "OperatingSystem", "SQLite", "Schedules", "Values", "Workspace",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "RunReports",
      dependencies: [
        "Expressions", "PipelineLanguage", "RunHistory", "Values", "Workspace",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "SlurmJobs",
      dependencies: [
        "CProcess", "OperatingSystem", "Values", .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "PipelineEngine",
      dependencies: [
        "CProcess", "Expressions", "HTTPOperations", "LinuxObservers", "OperatingSystem", "Operations",
        "PipelineLanguage", "PluginHost",
        "RunHistory", "SlurmJobs", "Values", "Workspace",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "HeapModule", package: "swift-collections"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "PipelineService",
      dependencies: [
        "Expressions", "OperatingSystem", "Operations", "PipelineEngine", "PipelineLanguage", "RunHistory", "SlurmJobs",
        "Values", "Workspace",
      ],
      swiftSettings: settings
    ),
    .target(
      name: "Server",
      dependencies: [
        "Operations", "OperatingSystem", "PipelineEngine", "PipelineLanguage", "PipelineService", "RunHistory",
        "RunReports", "Values", "Workspace",
      ],
      swiftSettings: settings
    ),
    // The arguments of `penstock serve`, which two programs read.
    .target(
      name: "ServeArguments", dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
      swiftSettings: settings),
    .executableTarget(
      name: "penstock-host",
      dependencies: [
        "CEndOfProcess", "CProcess", "CWorkerMonitor", "ServeArguments", "PipelineEngine", "PipelineLanguage",
        "PipelineService",
        "PluginHost",
        "RunHistory", "Server", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "penstock",
      dependencies: [
        "CEndOfProcess", "CPluginHeader", "CProcess", "CWorkerMonitor", "Expressions", "ServeArguments",
        "OperatingSystem",
        "PipelineLanguage",
        "PipelineService", "PluginHost", "PluginInstallation", "RunHistory", "RunReports", "Schedules", "SlurmJobs",
        "Values",
        "Workspace",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "OperationsTests", dependencies: ["HTTPOperations", "LinuxObservers", "Operations", "OperationsTesting"],
      exclude: ["Contract.md"], swiftSettings: settings),
    .testTarget(
      name: "LinuxObserversTests", dependencies: ["LinuxObservers", "Operations", "OperationsTesting"],
      swiftSettings: settings),
    // The other process, whose downloads are killed.
    .executableTarget(
      name: "HTTPChild", dependencies: ["HTTPOperations", "Operations"], path: "Tests/HTTPChild",
      swiftSettings: settings),
    .testTarget(
      name: "HTTPOperationsTests",
      dependencies: [
        "CLibCurl", "CProcess", "HTTPChild", "HTTPOperations", "Operations", "OperationsTesting",
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: settings
    ),
    // A file system for SQLite that fails when it is told to.
    .target(name: "CFaultVFS", dependencies: ["CLibSQLite"], path: "Tests/CFaultVFS", cSettings: cSettings),
    // The other process, which competes and is killed.
    .executableTarget(
      name: "WorkspaceChild", dependencies: ["Workspace"], path: "Tests/WorkspaceChild", swiftSettings: settings),
    // A program with code at its top level.
    .executableTarget(
      name: "WorkspaceScript", dependencies: ["Workspace"], path: "Tests/WorkspaceScript", swiftSettings: settings),
    .testTarget(
      name: "WorkspaceTests",
      dependencies: ["CFaultVFS", "CLibSQLite", "SQLite", "Workspace", "WorkspaceChild", "WorkspaceScript"],
      swiftSettings: settings),
    .testTarget(
      name: "ExpressionsTests",
      dependencies: [
        "Expressions", "OperationsTesting", "Values",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "PipelineLanguageTests",
      dependencies: [
        "Expressions", "HTTPOperations", "PipelineLanguage", "PluginHost", "Values",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "RunHistoryTests",
      dependencies: [
        "CFaultVFS", "Expressions", "OperatingSystem", "RunHistory", "SQLite", "Schedules", "Values", "Workspace",
      ],
      swiftSettings: settings
    ),
    // Some of its support is a link to that of other tests, as test targets cannot depend on each other.
    .testTarget(
      name: "RunReportsTests",
      dependencies: [
        "OperationsTesting", "PipelineLanguage", "RunHistory", "RunReports", "SQLite", "Values", "Workspace",
      ],
      swiftSettings: settings
    ),
    // The same.
    .testTarget(
      name: "PipelineEngineTests",
      dependencies: [
        "CFaultVFS", "Expressions", "HTTPOperations", "OperatingSystem", "Operations", "OperationsTesting",
        "PipelineEngine", "PipelineLanguage", "PluginHost", "RunHistory", "SlurmJobs", "SQLite", "Values", "Workspace",
      ],
      swiftSettings: settings
    ),
    // The same.
    .testTarget(
      name: "PipelineServiceTests",
      dependencies: [
        "OperatingSystem", "OperationsTesting", "PipelineEngine", "PipelineLanguage", "PipelineService", "PluginHost",
        "RunHistory",
        "SQLite", "Values", "Workspace",
      ],
      swiftSettings: settings
    ),
    // A month of hosts, which `make soak` builds with optimization.
    .executableTarget(
      name: "SimulatedHosts",
      dependencies: [
        "CFaultVFS", "CProcess", "Operations", "OperationsTesting", "PipelineEngine", "PipelineLanguage",
        "PipelineService", "PluginHost", "RunHistory", "Server", "SQLite", "Workspace",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      path: "Tests/SimulatedHosts",
      swiftSettings: settings
    ),
    .testTarget(
      name: "ServerTests",
      dependencies: [
        "Operations", "OperationsTesting", "PipelineEngine", "PipelineLanguage", "PipelineService", "PluginHost",
        "RunHistory", "Server", "SimulatedHosts", "SQLite", "Values", "Workspace",
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      swiftSettings: settings
    ),
    .testTarget(name: "SQLiteTests", dependencies: ["SQLite"], swiftSettings: settings),
    .testTarget(name: "OperatingSystemTests", dependencies: ["OperatingSystem"], swiftSettings: settings),
    .testTarget(name: "ValuesTests", dependencies: ["OperationsTesting", "Values"], swiftSettings: settings),
    // What the tests of PluginHost start as a child host, so that they need not build the whole tool.
    .executableTarget(
      name: "PluginHostChild", dependencies: ["PluginHost"], path: "Tests/PluginHostChild", swiftSettings: settings),
    // The process in which the tests of the validator make a check.
    .executableTarget(
      name: "PluginCheckChild", dependencies: ["PluginHost"], path: "Tests/PluginCheckChild", swiftSettings: settings),
    .testTarget(
      name: "PluginHostTests",
      dependencies: [
        "CProcess", "Operations", "OperationsTesting", "PluginABI", "PluginCheckChild", "PluginHost", "PluginHostChild",
        "Values",
      ],
      swiftSettings: settings
    ),
    .testTarget(name: "SlurmJobsTests", dependencies: ["OperatingSystem", "SlurmJobs"], swiftSettings: settings),
    .testTarget(name: "SchedulesTests", dependencies: ["Schedules"], swiftSettings: settings),
    .testTarget(
      name: "PluginKitTests", dependencies: ["CPluginKit", "OperationsTesting", "PluginKit", "PluginKitTesting"],
      swiftSettings: settings),
    .testTarget(
      name: "PluginsTests",
      dependencies: ["CProcess", "OperationsTesting", "PluginKit", "PluginKitTesting"] + standardPlugins.map(\.logic),
      swiftSettings: settings
    ),
    .testTarget(
      name: "PenstockTests", dependencies: ["penstock", "PipelineLanguage", "PipelineService", "RunHistory", "Values"],
      swiftSettings: settings),
    .testTarget(
      name: "PluginInstallationTests", dependencies: ["PluginInstallation"], swiftSettings: settings),
    .testTarget(
      name: "ConformanceTests",
      dependencies: [
        "OperatingSystem", "penstock", "PipelineLanguage", "PluginHost",
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      exclude: ["Plugins"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "Expressions", "penstock", "PipelineLanguage", "RunHistory", "Values",
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "SoakTests",
      dependencies: [
        "CWorkerMonitor", "Expressions", "OperationsTesting", "penstock", "PipelineLanguage", "RunHistory", "SQLite",
        "Values", "Workspace",
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      swiftSettings: settings
    ),
    standardPluginsLibrary,
  ] + standardPlugins.flatMap(\.targets)
)
