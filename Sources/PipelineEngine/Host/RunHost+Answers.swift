/// Whether the host answers, for whoever watches over it.
extension RunHost {
  /// Returns when the event loop has done what it was asked before.
  package func awaitLoop() async {
    await withCheckedContinuation { continuation in
      services.loop.execute { continuation.resume() }
    }
  }

  /// Returns when the writer of the history has come to an empty transaction, whether or not it could be committed.
  package func awaitWriter() async { try? await services.recorder.perform(changing: { _ in [] }) { _ in } }
}
