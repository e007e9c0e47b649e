import CProcess
import Glibc

/// Identifies the file system of a path, as the kernel reports it.
package enum FileSystem {
  /// The `statfs(2)` numbers of file systems whose files other computers may change, from `linux/magic.h` and the kernel's sources.
  private static let network: [UInt32: String] = [
    0x6969: "NFS", 0xFF53_4D42: "CIFS", 0xFE53_4D42: "SMB", 0x517B: "SMB", 0x0102_1997: "9P", 0x5346_414F: "AFS",
    0x6B41_4653: "AFS", 0x7375_7245: "Coda", 0x00C3_6400: "Ceph", 0x564C: "NCP", 0x0BD0_0BD0: "Lustre",
    0x4750_4653: "GPFS", 0x7461_636F: "OCFS2", 0x0116_1970: "GFS2", 0xAAD7_AAEA: "PanFS", 0x786F_4256: "vboxsf",
  ]
  /// The number of FUSE, whose file systems are programs of any kind.
  private static let program: UInt32 = 0x6573_5546
  /// The FUSE programs that expose other computers' files, by their names after `fuse.` in the mount table.
  private static let networkPrograms: Set = [
    "sshfs", "s3fs", "goofys", "gcsfuse", "rclone", "glusterfs", "ceph", "ceph-fuse", "juicefs", "davfs", "davfs2",
    "curlftpfs", "smbnetfs", "moosefs", "mfs", "mount-s3", "blobfuse", "blobfuse2",
  ]

  /// The options of a file system to which nothing can be written; the last two stand for one after an error, since Linux 6.
  private static let readOnly: Set<Substring> = ["ro", "emergency_ro", "shutdown"]

  /// Returns the name of the network file system of a path, or of its nearest existing parent directory; nil if it is on none, or if that is unknown.
  package static func networkName(at path: String) -> String? {
    var path = path
    var status = statfs()
    while statfs(path, &status) != 0 {
      guard errno == ENOENT || errno == ENOTDIR, path != "/", !path.isEmpty else { return nil }
      path = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
    return networkName(type: UInt32(truncatingIfNeeded: status.f_type)) { mountedName(at: path) }
  }

  /// Returns the name of a network file system by its number, and by its name in the mount table; nil if it is not one.
  package static func networkName(type: UInt32, mounted: () -> String?) -> String? {
    if let name = network[type] { return name }
    guard type == program, let name = mounted(), name.hasPrefix("fuse.") else { return nil }
    return networkPrograms.contains(String(name.dropFirst("fuse.".count))) ? name : nil
  }

  /// Returns whether the file system of a path is read-only as a whole, for every process, as after an error. That a mount of it is read-only here says
  /// nothing about others. False if it is unknown.
  package static func isReadOnly(at path: String) -> Bool {
    mount(at: path).map { isReadOnly(onDevice: $0.major, $0.minor, in: $0.table) } ?? false
  }

  /// Returns whether the file system on a device is read-only as a whole, according to a mount table in the format of `/proc/self/mountinfo`.
  package static func isReadOnly(onDevice major: UInt32, _ minor: UInt32, in table: String) -> Bool {
    let words = words(onDevice: major, minor, in: table)
    return words.count > 2 && !readOnly.isDisjoint(with: words[2].split(separator: ","))
  }

  private static func mountedName(at path: String) -> String? {
    mount(at: path).flatMap { mountedName(onDevice: $0.major, $0.minor, in: $0.table) }
  }

  /// Returns the device of a path, and the mount table.
  private static func mount(at path: String) -> (major: UInt32, minor: UInt32, table: String)? {
    var status = stat()
    guard stat(path, &status) == 0, let table = try? InputFile.read("/proc/self/mountinfo", limit: 1 << 20) else {
      return nil
    }
    let device = status.st_dev
    return (UInt32(gnu_dev_major(device)), UInt32(gnu_dev_minor(device)), String(decoding: table, as: UTF8.self))
  }

  /// Returns the name of the file system on a device, according to a mount table in the format of `/proc/self/mountinfo`.
  package static func mountedName(onDevice major: UInt32, _ minor: UInt32, in table: String) -> String? {
    words(onDevice: major, minor, in: table).first.map(String.init)
  }

  /// Returns what the first line of a device says about the file system itself: its name, its source and its options; empty if there is none.
  private static func words(onDevice major: UInt32, _ minor: UInt32, in table: String) -> [Substring] {
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 2, words[2] == "\(major):\(minor)", let end = words.firstIndex(of: "-") else { continue }
      return Array(words[(end + 1)...])
    }
    return []
  }
}
