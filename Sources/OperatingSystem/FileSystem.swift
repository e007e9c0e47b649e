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

  private static func mountedName(at path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, let table = try? InputFile.read("/proc/self/mountinfo", limit: 1 << 20) else {
      return nil
    }
    let (device, text) = (status.st_dev, String(decoding: table, as: UTF8.self))
    return mountedName(onDevice: UInt32(gnu_dev_major(device)), UInt32(gnu_dev_minor(device)), in: text)
  }

  /// Returns the name of the file system on a device, according to a mount table in the format of `/proc/self/mountinfo`.
  package static func mountedName(onDevice major: UInt32, _ minor: UInt32, in table: String) -> String? {
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 2, words[2] == "\(major):\(minor)", let end = words.firstIndex(of: "-") else { continue }
      return end + 1 < words.count ? String(words[end + 1]) : nil
    }
    return nil
  }
}
