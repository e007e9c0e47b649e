// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "penstock-micro-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    // What is measured.
    .package(name: "penstock", path: "../.."),
    // What the workloads run, to be read and checked here.
    .package(name: "penstock-benchmarks", path: ".."),
    // Runs and reports micro-benchmarks. Without its traits, which count allocations and need two more packages.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "recorder",
      dependencies: [.product(name: "Pipelines", package: "penstock")],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "hosts",
      dependencies: [.product(name: "Pipelines", package: "penstock")],
      swiftSettings: settings
    ),
    // Stands in the place of malloc, to count.
    .target(name: "CAllocations"),
    .executableTarget(
      name: "stores",
      dependencies: [
        "CAllocations", .product(name: "LinuxObservers", package: "penstock"),
        .product(name: "Operations", package: "penstock"),
        .product(name: "OperationsTesting", package: "penstock"),
      ],
      swiftSettings: settings
    ),
    // The floor of the object store.
    .target(name: "CObjectFloor", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "objects",
      dependencies: ["CObjectFloor", .product(name: "Workspace", package: "penstock")],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "plugins",
      dependencies: [
        .product(name: "Operations", package: "penstock"), .product(name: "PluginHost", package: "penstock"),
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "Libraries",
      dependencies: [
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "Operations", package: "penstock"),
        .product(name: "Pipelines", package: "penstock"),
        .product(name: "WorkloadFiles", package: "penstock-benchmarks"),
      ],
      path: "Benchmarks/Libraries",
      swiftSettings: settings,
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
    ),
  ]
)
