/// What a specification is and what it is now, for people: "connected && office-hours: office-hours is false since 18:00".
public struct SpecificationDescription: Sendable, Hashable, CustomStringConvertible {
  /// How tightly a formula's outermost operator binds, weakest first; decides where parentheses are needed.
  enum Binding: Int, Sendable, Comparable {
    case or, and, prefix, name

    static func < (lhs: Binding, rhs: Binding) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  /// The condition, such as `connected && office-hours`.
  public let formula: String
  /// What of it decides the value, such as `office-hours is false since 18:00`.
  public let reason: String
  /// The value at the time of asking; nil where it was not known.
  public let value: Bool?
  /// The value has been the same at least since then; nil where that is not known.
  public let changedAt: Timestamp?
  /// Whether the condition was satisfied at the time of asking. What is not known satisfies nothing.
  public var isSatisfied: Bool { value == true }
  /// Whether the value was known.
  public var isKnown: Bool { value != nil }
  let binding: Binding
  /// Whether the value has always been the same, and always will be.
  var isConstant = false
  /// What the reason comes down to where the names in between are left out.
  let causes: [String]
  /// Whether the reason is the name of the condition and its value, and nothing else.
  private(set) var isPlain = false
  /// Whether the reason says of a name what is behind it.
  private(set) var looksBehindNames = false

  /// A description of a condition that is one name, or is written like one. Control characters and line breaks are
  /// written as escapes, such as `\n`. `isSatisfied` is nil where it is not known.
  public init(formula: String, reason: String, isSatisfied: Bool?, changedAt: Timestamp? = nil) {
    self.init(
      formula: formula.inOneLine, reason: reason.inOneLine, isSatisfied: isSatisfied, changedAt: changedAt,
      binding: .name)
  }

  /// A description of the condition `name`, whose reason is "name is true since …".
  ///
  /// The time is left out where `changedAt` is nil, and written by the context's `operationTimestampFormat`.
  public init(name: String, isSatisfied: Bool?, changedAt: Timestamp? = nil, in context: OperationContext) {
    let since = changedAt.map { " since \(context.operationTimestampFormat($0))" } ?? ""
    self.init(
      formula: name, reason: "\(name) is \(Self.word(isSatisfied))\(since)", isSatisfied: isSatisfied,
      changedAt: changedAt)
    isPlain = true
  }

  /// A description of the condition `name` that stands for the one that `base` describes.
  ///
  /// One that is a name itself is only renamed. Of every other one the reason goes on, without the names in between: one
  /// step from the name to what decides.
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

  /// Formula and reason in one line.
  public var description: String { "\(formula): \(reason)" }

  /// The formula as an operand of an operator that binds as tightly as `outer`.
  func operand(of outer: Binding) -> String {
    binding < outer ? "(\(formula))" : formula
  }
}

extension String {
  /// The text with escapes in place of everything that could break a line or steer a terminal.
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
