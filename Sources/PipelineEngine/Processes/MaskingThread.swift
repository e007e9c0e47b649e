import Synchronization

/// The thread that masks the output of processes: its own event loop, so that no amount of output delays the engine's timers, signals and records.
///
/// It is started for the first process that receives a secret, and alternates between streams piece by piece.
final class MaskingThread: Sendable {
  private let started = Mutex<EventLoop?>(nil)

  deinit { stop() }

  /// Returns the running event loop.
  ///
  /// - Throws: ``EngineError`` if the process is out of descriptors or threads.
  func loop() throws(EngineError) -> EventLoop {
    try started.withLock { started throws(EngineError) in
      if let started { return started }
      let loop = try EventLoop()
      try loop.start(name: "penstock-mask")
      started = loop
      return loop
    }
  }

  /// Ends the thread. Nothing may be masked afterwards.
  func stop() {
    started.withLock { $0?.stop() }
  }
}
