// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "penstock-benchmarks",
  products: [
    // For the micro-benchmarks, which read what the workloads run.
    .library(name: "WorkloadFiles", targets: ["WorkloadFiles"])
  ],
  dependencies: [
    // The options of the driver.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    // Starts the stopwatch and the tool.
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
  ],
  targets: [
    .systemLibrary(name: "CLibSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .target(name: "WorkloadFiles", swiftSettings: settings),
    .executableTarget(
      name: "bench",
      dependencies: [
        "CLibSQLite", "WorkloadFiles",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Subprocess", package: "swift-subprocess"),
      ],
      swiftSettings: settings
    ),
  ]
)
