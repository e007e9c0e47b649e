import Synchronization

/// The pages that one run of a paginated store fetches, and its progress.
///
/// Stored in the context of the run. The state decides what to fetch when the run starts its work, which may be after
/// other runs that it had to wait for. The plan is kept across retries.
final class PagingPlan<PageID: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Known = (pages: Pages<PageID, Value>, next: PageID?, previous: PageID?)

  let kind: PagingKind
  private let look: @Sendable () -> Known
  /// The pages fetched so far by a run over all pages. Kept across retries, which continue after them.
  private let fetched = Mutex(Pages<PageID, Value>())

  init(_ kind: PagingKind, look: @escaping @Sendable () -> Known) {
    self.kind = kind
    self.look = look
  }

  /// The current knowledge of the state.
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

/// The kind of pages that a run of a paginated store fetches.
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

  /// The kind of pages that a run with this context fetches; the initial page by default.
  var pagingKind: PagingKind { self[PagingKindKey.self] }

  func pagingPlan<PageID, Value>(as _: PagingPlan<PageID, Value>.Type) -> PagingPlan<PageID, Value>? {
    self[PagingPlanKey.self] as? PagingPlan<PageID, Value>
  }

  mutating func setPagingPlan<PageID, Value>(_ plan: PagingPlan<PageID, Value>) {
    self[PagingPlanKey.self] = plan
    self[PagingKindKey.self] = plan.kind
  }
}
