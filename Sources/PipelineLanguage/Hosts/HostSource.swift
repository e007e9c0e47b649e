/// What is known about the host when pipelines are loaded.
public struct HostSource: Sendable {
  enum Kind: Sendable {
    case none
    case unchecked
    case host(HostDefinition)
  }

  let kind: Kind

  /// No host: operations only take the resources that their pipeline declares, and its queue is not checked.
  public static let none = HostSource(kind: .none)

  /// An unknown host: what pipelines require of it is not checked.
  public static let unchecked = HostSource(kind: .unchecked)

  /// A known host: see ``HostDefinition/findings(in:)``.
  public static func host(_ host: HostDefinition) -> HostSource { HostSource(kind: .host(host)) }

  /// Whether operations may take resources that their pipeline does not declare, because a host may.
  var mayDeclare: Bool { if case .none = kind { false } else { true } }

  /// Unchecked if there is no host.
  var orUnchecked: HostSource { mayDeclare ? self : .unchecked }
}
