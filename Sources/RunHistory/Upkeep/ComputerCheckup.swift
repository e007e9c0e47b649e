import CProcess
import Glibc
import OperatingSystem

/// What the engine requires of the computer, independently of the workspace.
enum ComputerCheckup {
  static func findings() -> [Checkup.Finding] {
    [openFiles(), notifications(), kernel(), timeZone(), shell()]
  }

  private static func openFiles() -> Checkup.Finding {
    let count = ResourceLimit.soft(RLIMIT_NOFILE) ?? 0
    if count >= 1024 { return .init(grade: .ok, subject: "open files", message: "limit \(count)") }
    return .init(
      grade: count < 64 ? .fail : .warn, subject: "open files",
      message: "limit \(count) restricts how many operations run at once; raise it with ulimit -n")
  }

  private static func notifications() -> Checkup.Finding {
    let descriptor = inotify_init1(Int32(IN_CLOEXEC))
    guard descriptor >= 0 else {
      let reason = SystemError.text(of: errno)
      return .init(
        grade: .fail, subject: "inotify",
        message: "not available: \(reason); sysctl fs.inotify.max_user_instances sets how many there may be")
    }
    close(descriptor)
    return .init(grade: .ok, subject: "inotify", message: "available")
  }

  private static func kernel() -> Checkup.Finding {
    var name = utsname()
    uname(&name)
    let release = withUnsafeBytes(of: &name.release) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    // waitid on a pidfd requires Linux 5.4.
    if Checkup.isOlder(String(release.prefix { $0.isNumber || $0 == "." }), than: [5, 4]) {
      return .init(grade: .fail, subject: "pidfd", message: "Linux \(release) is too old; 5.4 or newer is needed")
    }
    return .init(grade: .ok, subject: "pidfd", message: "available (Linux \(release))")
  }

  private static func timeZone() -> Checkup.Finding {
    var now = time(nil)
    var parts = tm()
    localtime_r(&now, &parts)
    let zone = parts.tm_zone.map { String(cString: $0) } ?? "unknown"
    if let wanted = getenv("TZ").map({ String(cString: $0) }), !wanted.isEmpty, !wanted.hasPrefix("/"), wanted != "UTC",
      wanted.contains("/"), access("/usr/share/zoneinfo/\(wanted)", F_OK) != 0
    {
      return .init(
        grade: .warn, subject: "time zone",
        message: "TZ is '\(wanted)', which is not in /usr/share/zoneinfo; times are shown in \(zone)")
    }
    return .init(grade: .ok, subject: "time zone", message: zone)
  }

  private static func shell() -> Checkup.Finding {
    access("/bin/sh", X_OK) == 0
      ? .init(grade: .ok, subject: "shell", message: "/bin/sh")
      : .init(grade: .warn, subject: "shell", message: "there is no /bin/sh; operations with `run` need `shell:`")
  }
}
