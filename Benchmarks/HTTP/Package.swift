// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "penstock-http-benchmarks",
  dependencies: [
    // What is measured.
    .package(name: "penstock", path: "../.."),
    // The peer: the HTTP client of Swift's servers.
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    // Fields and methods of what is measured.
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    // Apart, so that one may be built without the other, and none runs with the other's threads.
    .executableTarget(
      name: "transfers",
      dependencies: [
        .product(name: "HTTPOperations", package: "penstock"), .product(name: "Operations", package: "penstock"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "peer",
      dependencies: [.product(name: "AsyncHTTPClient", package: "async-http-client")],
      swiftSettings: settings
    ),
  ]
)
