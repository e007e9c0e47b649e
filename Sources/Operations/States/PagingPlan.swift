import Synchronization

/// What one run of a paginated store is to fetch, and how far it has come.
///
/// Is in the context of the run. What is to be fetched is decided by the state at the moment when the run begins its
/// work, which may be after other runs that it had to wait for; and is kept over retries.
final class PagingPlan<PageID: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Known = (pages: Pages<PageID, Value>, next: PageID?, previous: PageID?)

  let kind: PagingKind
  private let look: @Sendable () -> Known
  /// The pages that a run over all pages has fetched. Survives a retry, which goes on after them.
  private let fetched = Mutex(Pages<PageID, Value>())

  init(_ kind: PagingKind, look: @escaping @Sendable () -> Known) {
    self.kind = kind
    self.look = look
  }

  /// What the state knows now.
  var known: Known { look() }

  var fetchedPages: Pages<PageID, Value> {
    get { fetched.withLock { $0 } }
    set {
      let old = fetched.withLock { fetched in
        defer { fetched = newValue }
        return fetched
      }
      _ = old
    }
  }
}

/// What a run of a paginated store is about.
enum PagingKind: Sendable, Hashable {
  case initial
  case next
  case previous
  case all
}

extension OperationContext {
  private enum PagingPlanKey: Key {
    static var defaultValue: (any AnyObject & Sendable)? { nil }
  }

  private enum PagingKindKey: Key {
    static let defaultValue = PagingKind.initial
  }

  /// What a run with this context is about; the initial page by default.
  var pagingKind: PagingKind { self[PagingKindKey.self] }

  func pagingPlan<PageID, Value>(as _: PagingPlan<PageID, Value>.Type) -> PagingPlan<PageID, Value>? {
    self[PagingPlanKey.self] as? PagingPlan<PageID, Value>
  }

  mutating func setPagingPlan<PageID, Value>(_ plan: PagingPlan<PageID, Value>) {
    self[PagingPlanKey.self] = plan
    self[PagingKindKey.self] = plan.kind
  }
}
