/// What is known, where pipelines are loaded, of the host that is to run them.
public struct HostSource: Sendable {
  enum Kind: Sendable {
    case none
    case unchecked
    case host(HostDefinition)
  }

  let kind: Kind

  /// There is no host: operations take only of what their pipeline declares, and its queue is not looked for.
  public static let none = HostSource(kind: .none)

  /// There is some host, and what pipelines want of it is taken on trust.
  public static let unchecked = HostSource(kind: .unchecked)

  /// This host: see ``HostDefinition/findings(in:)``.
  public static func host(_ host: HostDefinition) -> HostSource { HostSource(kind: .host(host)) }

  /// Whether operations may take what their pipeline does not declare, as a host may.
  var mayDeclare: Bool { if case .none = kind { false } else { true } }

  /// Unchecked where there is none.
  var orUnchecked: HostSource { mayDeclare ? self : .unchecked }
}
