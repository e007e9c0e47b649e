import Foundation

/// Limits how many cases run at once. They mostly wait for processes, so there may be a few more than processors.
actor CaseSlots {
  static let shared = CaseSlots(count: max(4, ProcessInfo.processInfo.activeProcessorCount + 2))

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  private init(count: Int) { free = count }

  /// Runs `body` when a slot is free.
  nonisolated func withSlot(_ body: () async throws -> Void) async throws {
    await take()
    do {
      try await body()
    } catch {
      await giveBack()
      throw error
    }
    await giveBack()
  }

  private func take() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  private func giveBack() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
