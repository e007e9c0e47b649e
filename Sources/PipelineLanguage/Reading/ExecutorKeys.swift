/// The keys of `executor`.
enum ExecutorKey: String, CaseIterable, Sendable {
  case use, cpus, memory, time, gpus, gres, partition, account, qos, constraint, nodes, small

  /// A value for all attempts, or a list with one for each; of an operation, each may have expressions.
  private static func each(_ form: ValueForm, _ hasExpressions: Bool) -> ValueForm {
    if case .text = form, hasExpressions { return .anyOf([.template, .list(.template, minimum: 1)]) }
    guard hasExpressions else { return .anyOf([form, .list(form, minimum: 1)]) }
    return .anyOf([form, .template, .list(.anyOf([form, .template]), minimum: 1)])
  }

  static let table = KeyTable<ExecutorKey>(
    "'executor'",
    head + settings(hasExpressions: true) + [KeyRow(notAvailable: "nodes"), KeyRow(notAvailable: "small")])

  private static var head: [KeyRow] {
    [
      KeyRow(
        "use", .name(pattern: NamePattern.operation),
        "The executor: `local`, or one of `executors.yaml`.",
        default: "that of `defaults` or the pipeline; otherwise `local`")
    ]
  }

  /// The keys that the site can give values for, too.
  static func settings(hasExpressions: Bool = false) -> [KeyRow] {
    func each(_ form: ValueForm) -> ValueForm { Self.each(form, hasExpressions) }
    return [
      KeyRow("cpus", each(.int(minimum: 1)), "The number of processors of the job.", default: "that of the site"),
      KeyRow("memory", each(.size), "The memory of the job, rounded up to MiB.", default: "that of the site"),
      KeyRow(
        "time", each(.duration), "The time limit that Slurm keeps, rounded up to minutes.",
        default: "that of the site; with `timeout`, `timeout` + `grace` + 2 minutes"),
      KeyRow(
        "gpus", each(.anyOf([.int(minimum: 1), .map(keyPattern: NamePattern.member, .int(minimum: 1))])),
        "The number of accelerators, or a type with its number: `{ a100: 2 }`.", default: "none"),
      KeyRow("gres", each(.text), "Other generic resources, as `--gres` takes them.", default: "none"),
      KeyRow("partition", each(.text), "The partition.", default: "that of the site, or of the cluster"),
      KeyRow("account", each(.text), "The account that is charged.", default: "that of the site, or of the user"),
      KeyRow("qos", each(.text), "The quality of service.", default: "that of the site, or of the user"),
      KeyRow("constraint", each(.text), "The features that a node must have.", default: "none"),
    ]
  }

  /// The form of the key `executor` itself.
  static var form: ValueForm { .anyOf([.name(pattern: NamePattern.operation), .keys(table.rows)]) }
}
