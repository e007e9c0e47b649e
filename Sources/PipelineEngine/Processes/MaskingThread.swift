import Synchronization

/// The thread that masks the output of processes: an event loop of its own, so that no amount of output keeps the engine's from timers, signals and records.
///
/// It is started for the first process that receives a secret, and takes turns: a piece of one stream, then of the next.
final class MaskingThread: Sendable {
  private let started = Mutex<EventLoop?>(nil)

  deinit { stop() }

  /// The loop, running.
  ///
  /// - Throws: ``EngineError`` when the process is out of descriptors or threads.
  func loop() throws(EngineError) -> EventLoop {
    try started.withLock { started throws(EngineError) in
      if let started { return started }
      let loop = try EventLoop()
      try loop.start(name: "penstock-mask")
      started = loop
      return loop
    }
  }

  /// Ends the thread. Nothing may be masked any more.
  func stop() {
    started.withLock { $0?.stop() }
  }
}
