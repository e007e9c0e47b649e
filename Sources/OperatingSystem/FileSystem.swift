import CProcess
import Glibc

/// The file system that a path is on, as the kernel tells.
package enum FileSystem {
  /// The numbers of `statfs(2)` for those whose files other computers may change, from `linux/magic.h` and the kernel's sources.
  private static let network: [UInt32: String] = [
    0x6969: "NFS", 0xFF53_4D42: "CIFS", 0xFE53_4D42: "SMB", 0x517B: "SMB", 0x0102_1997: "9P", 0x5346_414F: "AFS",
    0x6B41_4653: "AFS", 0x7375_7245: "Coda", 0x00C3_6400: "Ceph", 0x564C: "NCP", 0x0BD0_0BD0: "Lustre",
    0x4750_4653: "GPFS", 0x7461_636F: "OCFS2", 0x0116_1970: "GFS2", 0xAAD7_AAEA: "PanFS", 0x786F_4256: "vboxsf",
  ]
  /// That of file systems that are programs, which may be anything.
  private static let program: UInt32 = 0x6573_5546
  /// The programs among them that show the files of other computers, by what a table of mounts calls them behind `fuse.`.
  private static let networkPrograms: Set = [
    "sshfs", "s3fs", "goofys", "gcsfuse", "rclone", "glusterfs", "ceph", "ceph-fuse", "juicefs", "davfs", "davfs2",
    "curlftpfs", "smbnetfs", "moosefs", "mfs", "mount-s3", "blobfuse", "blobfuse2",
  ]

  /// The name of the network file system that a path is on, or the nearest directory above it that is there; nil where it is on none, or nobody knows.
  package static func networkName(at path: String) -> String? {
    var path = path
    var status = statfs()
    while statfs(path, &status) != 0 {
      guard errno == ENOENT || errno == ENOTDIR, path != "/", !path.isEmpty else { return nil }
      path = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
    return networkName(type: UInt32(truncatingIfNeeded: status.f_type)) { mountedName(at: path) }
  }

  /// The same, by the number of the file system, and what a table of mounts calls it.
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

  /// What a table of mounts, as in `/proc/self/mountinfo`, calls the file system on a device.
  package static func mountedName(onDevice major: UInt32, _ minor: UInt32, in table: String) -> String? {
    for line in table.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 2, words[2] == "\(major):\(minor)", let end = words.firstIndex(of: "-") else { continue }
      return end + 1 < words.count ? String(words[end + 1]) : nil
    }
    return nil
  }
}
