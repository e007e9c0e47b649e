/// A description of a specification and its value, for people: "connected && office-hours: office-hours is false since 18:00".
public struct SpecificationDescription: Sendable, Hashable, CustomStringConvertible {
  /// How tightly the outermost operator of a condition binds, weakest first; decides where parentheses are needed.
  enum Binding: Int, Sendable, Comparable {
    case or, and, prefix, name

    static func < (lhs: Binding, rhs: Binding) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  /// The text of the condition, such as `connected && office-hours`.
  public let formula: String
  /// The part that decides the value, such as `office-hours is false since 18:00`.
  public let reason: String
  /// The value at the time of evaluation; nil if it was unknown.
  public let value: Bool?
  /// A time since which the value has not changed; nil if unknown.
  public let changedAt: Timestamp?
  /// Whether the specification was satisfied at the time of evaluation. An unknown value satisfies nothing.
  public var isSatisfied: Bool { value == true }
  /// Whether the value was known.
  public var isKnown: Bool { value != nil }
  let binding: Binding
  /// Whether the value has always been the same and never changes.
  var isConstant = false
  /// The causes that the reason comes down to, without intermediate names.
  let causes: [String]
  /// Whether the reason consists only of the specification's name and value.
  private(set) var isPlain = false
  /// Whether the reason explains a name by what is behind it.
  private(set) var looksBehindNames = false

  /// Creates the description of a condition that is a single name, or is written like one. Control characters and line
  /// breaks are escaped, for example as `\n`. `isSatisfied` is nil if it is unknown.
  public init(formula: String, reason: String, isSatisfied: Bool?, changedAt: Timestamp? = nil) {
    self.init(
      formula: formula.inOneLine, reason: reason.inOneLine, isSatisfied: isSatisfied, changedAt: changedAt,
      binding: .name)
  }

  /// Creates the description of the specification `name` with the reason "name is true since …".
  ///
  /// The time is omitted if `changedAt` is nil, and otherwise formatted by the context's `operationTimestampFormat`.
  public init(name: String, isSatisfied: Bool?, changedAt: Timestamp? = nil, in context: OperationContext) {
    let since = changedAt.map { " since \(context.operationTimestampFormat($0))" } ?? ""
    self.init(
      formula: name, reason: "\(name) is \(Self.word(isSatisfied))\(since)", isSatisfied: isSatisfied,
      changedAt: changedAt)
    isPlain = true
  }

  /// Creates the description of the specification `name`, which stands for the one that `base` describes.
  ///
  /// If the base is a plain name, it is only renamed. Otherwise the reason goes straight from the name to the causes,
  /// skipping intermediate names.
  init(name: String, of base: SpecificationDescription, in context: OperationContext) {
    guard !base.isPlain else {
      self.init(name: name, isSatisfied: base.value, changedAt: base.changedAt, in: context)
      return
    }
    let name = name.inOneLine
    self.init(
      formula: name, reason: "\(name) is \(Self.word(base.value)): \(base.causes.joined(separator: ", "))",
      isSatisfied: base.value, changedAt: base.changedAt, binding: .name, causes: base.causes,
      looksBehindNames: true)
  }

  init(
    formula: String, reason: String, isSatisfied: Bool?, changedAt: Timestamp?, binding: Binding,
    causes: [String]? = nil, looksBehindNames: Bool = false
  ) {
    self.causes = causes ?? [reason]
    self.looksBehindNames = looksBehindNames
    self.formula = formula
    self.reason = reason
    value = isSatisfied
    self.changedAt = changedAt
    self.binding = binding
  }

  private static func word(_ value: Bool?) -> String { value.map { "\($0)" } ?? "unknown" }

  /// The condition and the reason in one line.
  public var description: String { "\(formula): \(reason)" }

  /// Returns the condition as an operand of an operator with the binding `outer`.
  func operand(of outer: Binding) -> String {
    binding < outer ? "(\(formula))" : formula
  }
}

extension String {
  /// The text with everything escaped that could break a line or control a terminal.
  fileprivate var inOneLine: String {
    guard unicodeScalars.contains(where: \.mustBeEscaped) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.mustBeEscaped { text += scalar.escape } else { text.unicodeScalars.append(scalar) }
    }
  }
}

extension Unicode.Scalar {
  fileprivate var mustBeEscaped: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: true
    default: false
    }
  }

  fileprivate var escape: String {
    switch self {
    case "\n": #"\n"#
    case "\r": #"\r"#
    case "\t": #"\t"#
    default: #"\u{"# + String(value, radix: 16, uppercase: true) + "}"
    }
  }
}
