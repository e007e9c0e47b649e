extension SpecificationDescription {
  /// The operator that joins two conditions.
  enum Junction {
    case and, or

    var symbol: String { self == .and ? "&&" : "||" }
    var binding: Binding { self == .and ? .and : .or }
  }

  /// Returns the description of two conditions joined by `junction`.
  ///
  /// A false side decides `&&`, and a true side decides `||`: the reason then names the deciding sides, and the value
  /// is at least as old as the older of them. If no side decides alone, both are named, and the value is as old as the
  /// younger one. A side that never changes is older than any other. If the value is unknown, the reason names the
  /// unknown sides.
  static func joining(
    _ left: SpecificationDescription, _ right: SpecificationDescription, by junction: Junction
  ) -> SpecificationDescription {
    let deciding = junction == .or
    let decisive = [left, right].filter { $0.value == deciding }
    let isUnknown = decisive.isEmpty && !(left.isKnown && right.isKnown)
    let changedAt: Timestamp?
    let changing = [left, right].filter { !$0.isConstant }
    let undecided = isUnknown ? [left, right].filter { !$0.isKnown } : [left, right]
    let isConstant = decisive.isEmpty ? changing.isEmpty : decisive.contains(where: \.isConstant)
    if isConstant {
      changedAt = nil
    } else if decisive.isEmpty, changing.count == 1 {
      changedAt = changing[0].changedAt
    } else if decisive.isEmpty {
      changedAt = left.changedAt.flatMap { one in right.changedAt.map { max(one, $0) } }
    } else {
      changedAt = decisive.compactMap(\.changedAt).min()
    }
    let told = decisive.isEmpty ? undecided : decisive
    var reasons: [String] = []
    var causes: [String] = []
    for side in told {
      if !reasons.contains(side.reason) { reasons.append(side.reason) }
      for cause in side.causes where !causes.contains(cause) { causes.append(cause) }
    }
    // Commas already separate the causes behind a name.
    let looksBehindNames = told.contains(where: \.looksBehindNames)
    var description = SpecificationDescription(
      formula: "\(left.operand(of: junction.binding)) \(junction.symbol) \(right.operand(of: junction.binding))",
      reason: reasons.joined(separator: looksBehindNames ? "; " : ", "),
      isSatisfied: isUnknown ? nil : decisive.isEmpty != deciding, changedAt: changedAt, binding: junction.binding,
      causes: causes, looksBehindNames: looksBehindNames)
    description.isConstant = isConstant
    return description
  }
}
