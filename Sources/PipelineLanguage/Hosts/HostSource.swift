/// What is known about the host when pipelines are loaded.
public struct HostSource: Sendable {
  enum Kind: Sendable {
    case none
    case unchecked
    case host(HostDefinition)
  }

  let kind: Kind
  /// The workspace for which executors are looked up; nil if they are not checked.
  private(set) var executorsOf: String?

  /// No host: operations only take the resources that their pipeline declares, and its queue is not checked.
  public static let none = HostSource(kind: .none)

  /// An unknown host: what pipelines require of it is not checked.
  public static let unchecked = HostSource(kind: .unchecked)

  /// A known host: see ``HostDefinition/findings(in:)``.
  public static func host(_ host: HostDefinition) -> HostSource { HostSource(kind: .host(host)) }

  /// Whether operations may take resources that their pipeline does not declare, because a host may.
  var mayDeclare: Bool { if case .none = kind { false } else { true } }

  /// Returns this host with the executors that a file of the site defines, as a host with this workspace finds them.
  public func withExecutors(workspace: String) -> HostSource {
    var source = self
    source.executorsOf = workspace
    return source
  }

  /// Unchecked if there is no host.
  var orUnchecked: HostSource { mayDeclare ? self : .unchecked }
}
