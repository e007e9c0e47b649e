import Foundation
import Synchronization

/// Shared objects that tests compile with `cc`.
///
/// ```swift
/// let path = try TestPlugin.compile(TestPlugin.Source(id: "echo"))
/// ```
enum TestPlugin {
  /// The text of a C plugin with one offer for each kind of function that it has, which tests can change.
  ///
  /// By default, it is an operation `echo` that completes at once with its whole input. The bodies of functions are C: in all of them, `host`,
  /// `instances`, `controllers`, `specifications`, `logs` and `clocks` are the host and its services; in `start`, `stop` and `destroy`, `me` is the
  /// instance, whose `id`, `offer` and `settings` are the arguments of `create`.
  struct Source {
    var id = "echo"
    var version = "1.0.0"
    /// The JSON objects of `offers`.
    var offers: [String] = []
    /// The whole description, replacing the one made from the members above.
    var description: String?
    /// The code before the functions: includes, variables, functions.
    var preamble = ""
    /// Further members of an instance.
    var members = ""
    /// The code at the end of `open`, before it returns PENSTOCK_OK.
    var open = ""
    /// The body of `close`.
    var close = ""
    /// The code in `create` for the new instance `me`; may `return` another status.
    var create = ""
    /// The body of `start`, with `me` and `input`.
    var start = "instances->complete(host, me->id, input);"
    /// The body of `stop`, with `me` and `nanoseconds`.
    var stop = "instances->complete(host, me->id, (penstock_text){NULL, 0});"
    /// The code in `destroy`, before `me` is freed.
    var destroy = ""
    /// The first members of the entry, as C expressions.
    var structSize = "sizeof(penstock_plugin_entry)"
    var abiMajor = "PENSTOCK_ABI_MAJOR"
    var abiMinor = "PENSTOCK_ABI_MINOR"
    var abiMinorNeeded = "0"
    /// The functions of the entry, if the preamble or the tail defines others.
    var describeFunction = "describe"
    var capabilityFunction = "capability"
    /// The code between the functions and the entry.
    var tail = ""

    /// Creates a plugin that offers one operation under its own id; `change` adapts it.
    init(id: String = "echo", _ change: (inout Source) -> Void = { _ in }) {
      self.id = id
      offers = [#"{"kind": "operation", "id": "\#(id)", "summary": "Gives back what it gets"}"#]
      change(&self)
    }

    /// The description as JSON.
    var json: String {
      description ?? """
        {"id": "\(id)", "version": "\(version)", "summary": "A plugin for tests", "offers": [\(offers.joined(separator: ", "))]}
        """
    }

    /// The C source.
    var text: String {
      """
      #include <penstock/plugin.h>
      #include <pthread.h>
      #include <stdlib.h>

      static const penstock_host *host;
      static const penstock_instance_service *instances;
      static const penstock_controller_service *controllers;
      static const penstock_specification_service *specifications;
      static const penstock_log_service *logs;
      static const penstock_clock_service *clocks;

      typedef struct {
        penstock_id id;
        char *offer;
        penstock_text settings;
        \(members)
      } test_instance;

      /* What the host hands over is not terminated: behind it stands whatever was there before. */
      static inline int says(penstock_text text, const char *word) {
        size_t length = strlen(word);
        for (size_t at = 0; at + length <= text.length; at++)
          if (memcmp(text.bytes + at, word, length) == 0) return 1;
        return 0;
      }

      \(preamble)

      static const char description[] = "\(json.escapedForC)";
      static penstock_text describe(void) { return (penstock_text){description, sizeof description - 1}; }

      static penstock_status open_plugin(const penstock_host *the_host) {
        host = the_host;
        instances = host->service(host, PENSTOCK_INSTANCE);
        controllers = host->service(host, PENSTOCK_CONTROLLER);
        specifications = host->service(host, PENSTOCK_SPECIFICATION);
        logs = host->service(host, PENSTOCK_LOG);
        clocks = host->service(host, PENSTOCK_CLOCK);
        \(open)
        return PENSTOCK_OK;
      }

      static void close_plugin(void) { \(close) }

      static char *copy(penstock_text text) {
        char *bytes = malloc(text.length + 1);
        if (text.length > 0) memcpy(bytes, text.bytes, text.length);
        bytes[text.length] = 0;
        return bytes;
      }

      static penstock_status create(penstock_id id, penstock_text offer, penstock_text settings, void **instance) {
        test_instance *me = calloc(1, sizeof *me);
        me->id = id;
        me->offer = copy(offer);
        me->settings = (penstock_text){copy(settings), settings.length};
        \(create)
        *instance = me;
        return PENSTOCK_OK;
      }

      static void start(void *instance, penstock_text input) {
        test_instance *me = instance;
        (void)me;
        (void)input;
        \(start)
      }

      static void stop(void *instance, uint64_t nanoseconds) {
        test_instance *me = instance;
        (void)me;
        (void)nanoseconds;
        \(stop)
      }

      static void destroy(void *instance) {
        test_instance *me = instance;
        \(destroy)
        free(me->offer);
        free((char *)me->settings.bytes);
        free(me);
      }

      static const penstock_functions functions = {sizeof(penstock_functions), 0, create, start, stop, destroy};

      static const void *capability(penstock_text id) {
        return penstock_text_equals(id, PENSTOCK_OPERATION) || penstock_text_equals(id, PENSTOCK_CONTROLLER)
                       || penstock_text_equals(id, PENSTOCK_SPECIFICATION)
                   ? &functions
                   : NULL;
      }

      \(tail)

      PENSTOCK_EXPORT const penstock_plugin_entry penstock_plugin = {
          \(structSize), \(abiMajor), \(abiMinor), \(abiMinorNeeded), {0},
          \(describeFunction), open_plugin, close_plugin, \(capabilityFunction)};
      """
    }
  }

  /// Compiles `source` as ``compile(source:name:flags:)`` does.
  static func compile(_ source: Source, name: String? = nil, flags: [String] = []) throws -> String {
    try compile(source: source.text, name: name ?? source.id, flags: flags)
  }

  /// Compiles C `source` to a shared object, and returns its path: `…/<number>/<name>.so`, writable by nobody else.
  ///
  /// The same source, name and flags are compiled once in a test run. Do not change the file: copy it.
  static func compile(source: String, name: String = "plugin", flags: [String] = []) throws -> String {
    try build(source: source, name: name, flags: ["-shared", "-fPIC"] + flags)
  }

  /// Like ``compile(source:name:flags:)``, for files that are not shared objects, or invalid ones.
  static func build(source: String, name: String, flags: [String]) throws -> String {
    let key = [source, name] + flags
    return try compiled.withLock { compiled in
      if let object = compiled[key] { return object }
      let directory = "\(root)/\(compiled.count)"
      let object = "\(directory)/\(name).so"
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let file = "\(directory)/\(name).c"
      try source.write(toFile: file, atomically: false, encoding: .utf8)
      // Errors that C tolerates would change what a test tests, as long as it compiles.
      let unforgiven = ["implicit-function-declaration", "int-conversion", "incompatible-pointer-types", "return-type"]
      let arguments =
        ["cc", "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-O1", "-pthread"] + unforgiven.map { "-Werror=\($0)" }
        // A header that a test names takes precedence over this host's.
        + flags + ["-I", header, "-o", object, file]
      try run(arguments, errors: "\(directory)/errors")
      // With a umask of 002, the group could write to it.
      guard chmod(object, 0o755) == 0 else { throw TestPluginError(message: "cannot chmod \(object)") }
      compiled[key] = object
      return object
    }
  }

  /// The directory of `penstock/plugin.h`.
  static let header: String = {
    var path = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { path.deleteLastPathComponent() }
    return path.appendingPathComponent("Sources/PluginABI/include").path
  }()

  /// The directory of the compiled plugins, removed when the process ends.
  private static let root: String = {
    let path = NSTemporaryDirectory() + "penstock-test-plugins-\(getpid())"
    try? FileManager.default.removeItem(atPath: path)
    try? FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    atexit { try? FileManager.default.removeItem(atPath: TestPlugin.root) }
    return path
  }()

  private static let compiled = Mutex<[[String]: String]>([:])

  private static func run(_ arguments: [String], errors: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    let pointers = arguments.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    var process: pid_t = 0
    let spawned = posix_spawnp(&process, arguments[0], &actions, nil, pointers + [nil], environ)
    guard spawned == 0 else { throw TestPluginError(message: "cannot start cc: \(String(cString: strerror(spawned)))") }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else {
      let output = FileManager.default.contents(atPath: errors).map { String(decoding: $0, as: UTF8.self) } ?? ""
      throw TestPluginError(message: "cc ended with status \(status):\n\(output)")
    }
  }
}

struct TestPluginError: Error, CustomStringConvertible {
  var message: String
  var description: String { message }
}

extension String {
  /// The text, escaped for use in a C string.
  fileprivate var escapedForC: String {
    utf8.reduce(into: "") { result, byte in
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += "\\" + String(UnicodeScalar(byte))
      case 32..<127: result.unicodeScalars.append(UnicodeScalar(byte))
      // Three octal digits, so that a following digit is not taken for a fourth.
      default: result += "\\" + String(String(Int(byte) + 0o1000, radix: 8).dropFirst())
      }
    }
  }
}
