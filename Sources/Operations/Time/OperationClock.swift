#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The source of time for operations, so that tests can control it.
///
/// Both readings may be taken from any thread.
public protocol OperationClock: Sendable {
  /// Returns the time of the wall clock. May jump forwards and backwards; for records and for people.
  func now() -> Timestamp
  /// Returns the time since a fixed, unknown instant; never goes back and does not jump. For measurements.
  func monotonic() -> Duration
}

/// The clocks of the operating system. The monotonic one keeps running while the computer sleeps.
public struct SystemOperationClock: OperationClock {
  private static let origin = ContinuousClock.now

  /// Creates a clock.
  public init() {}

  /// Returns the time of `CLOCK_REALTIME`.
  public func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }

  /// Returns the time of the standard library's `ContinuousClock`, counted from the first reading in this process.
  public func monotonic() -> Duration {
    Self.origin.duration(to: .now)
  }
}

extension OperationClock where Self == SystemOperationClock {
  /// The clocks of the operating system.
  public static var system: SystemOperationClock { SystemOperationClock() }
}
