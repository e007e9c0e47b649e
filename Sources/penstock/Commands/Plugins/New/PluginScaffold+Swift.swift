extension PluginScaffold {
  /// The path of the link to the checkout of Penstock in the package: the manifest contains no path specific to this computer.
  static let dependency = "Dependencies/penstock"

  var filesInSwift: [File] {
    (checkout.map { [File(path: Self.dependency, text: $0, isLink: true)] } ?? []) + [
      File(path: "Package.swift", text: filled(Self.manifest)),
      File(path: "Makefile", text: filled(Self.swiftMakefile.replacing("DIST\n", with: dist("libpenstock-NAME.so")))),
      pipeline("libpenstock-NAME.so".replacing("NAME", with: name)),
      File(path: "Sources/\(typeName)Plugin/\(typeName)Plugin.swift", text: filled(Self.plugin)),
      File(path: "Sources/\(typeName)Plugin/Greet.swift", text: filled(Self.operation)),
      File(path: "Sources/\(typeName)Export/Export.swift", text: filled(Self.export)),
      File(path: "Tests/\(typeName)PluginTests/GreetTests.swift", text: filled(Self.test)),
      File(path: "exports.map", text: "{\n  global: penstock_plugin;\n  local: *;\n};\n"),
      File(path: ".gitignore", text: ".build\nDependencies\n*.so\ndist\n"),
    ]
  }

  private static let manifest = #"""
    // swift-tools-version: 6.2
    import PackageDescription

    let package = Package(
      name: "NAME",
      products: [
        // libpenstock-NAME.so, the shared object that Penstock loads. Penstock finds it by this name.
        .library(name: "penstock-NAME", type: .dynamic, targets: ["TYPEExport"])
      ],
      dependencies: [
        // For PluginKit: a checkout of Penstock, or a symbolic link to one. Do not commit it.
        .package(name: "penstock", path: "Dependencies/penstock")
      ],
      targets: [
        // The plugin without its export, so that tests can use it.
        .target(name: "TYPEPlugin", dependencies: [.product(name: "PluginKit", package: "penstock")]),
        .target(
          name: "TYPEExport",
          dependencies: ["TYPEPlugin", .product(name: "PluginKit", package: "penstock")]),
        .testTarget(
          name: "TYPEPluginTests",
          dependencies: ["TYPEPlugin", .product(name: "PluginKitTesting", package: "penstock")]),
      ]
    )

    """#

  private static let swiftMakefile = #"""
    PENSTOCK ?= penstock
    STRIP ?= strip

    # The shared object contains the Swift runtime and exports only `penstock_plugin`: it runs on computers without Swift, and does not
    # interfere with its host or with other plugins. These flags are not in Package.swift, because other packages could then not
    # depend on this one.
    LINK = -Xswiftc -static-stdlib -Xlinker --version-script=$(CURDIR)/exports.map -Xlinker --gc-sections

    libpenstock-NAME.so: always
    	swift build -c release --product penstock-NAME $(LINK)
    	cp "$$(swift build -c release --show-bin-path)/$@" $@

    # Runs the tests of the plugin, and checks it against the whole contract.
    test: libpenstock-NAME.so
    	swift test
    	"$(PENSTOCK)" plugins verify ./libpenstock-NAME.so
    	"$(PENSTOCK)" plugins check ./libpenstock-NAME.so

    # Runs the pipeline try.yaml with the plugin.
    try: libpenstock-NAME.so
    	"$(PENSTOCK)" run try.yaml

    DIST

    clean:
    	rm -rf .build libpenstock-NAME.so dist

    always:

    .PHONY: always test try dist clean

    """#.replacing("\\t", with: "\t")

  private static let plugin = #"""
    import PluginKit

    /// The plugin and its offers to pipeline files.
    public enum TYPEPlugin: Plugin {
      public static let id = "NAME"
      public static let version = "0.1.0"
      public static let summary = "Says hello"
      public static let offers: [Offer] = [
        .operation("NAME.greet", "Greets somebody", Greet.init(settings:))
      ]
    }

    """#

  private static let operation = #"""
    import PluginKit

    /// One attempt of `uses: NAME.greet`.
    struct Greet: OperationRequest {
      /// The settings that `with:` accepts. Their names, types, defaults and descriptions come from these properties.
      struct Settings: PluginSettings {
        @Setting("Who is greeted") var whom: String = "world"
        @Setting("How long to wait first") var pause: Duration = .zero
      }

      let settings: Settings

      func run(
        isolation: isolated (any Actor)?, in context: OperationContext,
        with continuation: OperationContinuation<String, any Error>
      ) async throws -> String {
        guard !settings.whom.isEmpty else {
          // `retry.on` can name the code; people read the message.
          throw PluginProblem("nobody-there", "'whom' is empty; set it to the person to greet")
        }
        // The host's clock, which a test advances by hand. Throws if the operation is cancelled.
        try await context.pluginClock.delay(for: settings.pause)
        context.pluginLog.info("greeting \(settings.whom)")
        return "Hello, \(settings.whom)!"
      }
    }

    """#

  private static let export = #"""
    import PluginKit
    import TYPEPlugin

    @main struct Export: PluginExport { typealias Exported = TYPEPlugin }

    """#

  private static let test = #"""
    import PluginKitTesting
    import Testing
    import TYPEPlugin

    @Suite struct GreetTests {
      @Test func somebodyIsGreeted() async throws {
        let host = try TestPluginHost(TYPEPlugin.self)
        #expect(try await host.run("NAME.greet", with: ["whom": "Ann"]) == "Hello, Ann!")
        #expect(host.faults.isEmpty)
      }

      @Test func itWaitsByTheHostsClock() async throws {
        let host = try TestPluginHost(TYPEPlugin.self)
        let instance = try host.operation("NAME.greet", with: ["pause": "1h"])
        instance.start()
        await host.clock.hasTimers()
        #expect(instance.events.isEmpty)
        host.clock.advance(by: .seconds(3600))
        #expect(try await instance.end() == "Hello, world!")
      }
    }

    """#
}
