/// Checks for a watchdog whether the host responds.
extension RunHost {
  /// Waits until the event loop has done what was requested of it before.
  package func awaitLoop() async {
    await withCheckedContinuation { continuation in
      services.loop.execute { continuation.resume() }
    }
  }

  /// Waits until the history's writer has processed an empty transaction, whether or not it could be committed.
  package func awaitWriter() async { try? await services.recorder.perform(changing: { _ in [] }) { _ in } }
}
