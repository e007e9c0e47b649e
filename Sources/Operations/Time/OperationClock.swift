#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tells the time to operations, so that tests can decide what time it is.
///
/// Both readings may be taken from any thread.
public protocol OperationClock: Sendable {
  /// The wall clock. May jump, forwards and backwards; for records and for people.
  func now() -> Timestamp
  /// The time since a fixed, unknown moment of this clock; never goes back and does not jump. For measuring.
  func monotonic() -> Duration
}

/// The clocks of the operating system. The monotonic one goes on while the machine sleeps.
public struct SystemOperationClock: OperationClock {
  private static let origin = ContinuousClock.now

  /// The system's clocks.
  public init() {}

  /// `CLOCK_REALTIME`.
  public func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }

  /// The standard library's `ContinuousClock`, counted from the first reading in this process.
  public func monotonic() -> Duration {
    Self.origin.duration(to: .now)
  }
}

extension OperationClock where Self == SystemOperationClock {
  /// The clocks of the operating system.
  public static var system: SystemOperationClock { SystemOperationClock() }
}
