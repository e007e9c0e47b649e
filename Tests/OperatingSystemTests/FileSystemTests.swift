import OperatingSystem
import Testing

@Suite("The file system of a path")
struct FileSystemTests {
  private static let mounts = """
    27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
    40 27 0:51 / /home/ada/a\\040place rw,nosuid shared:7 master:1 - fuse.sshfs ada@box: rw,user_id=1000
    41 27 0:52 / /mnt/disk rw,nosuid - fuseblk /dev/sdb1 rw
    """

  @Test(
    "is a network file system according to the kernel's number",
    arguments: [
      (0x6969, "NFS"), (0xFF53_4D42, "CIFS"), (0xFE53_4D42, "SMB"), (0x0102_1997, "9P"), (0x00C3_6400, "Ceph"),
      (0xEF53, nil), (0x9123_683E, nil), (0x0102_1994, nil), (0x794C_7630, nil), (0x5846_5342, nil),
    ] as [(UInt32, String?)])
  func numbers(number: UInt32, name: String?) {
    #expect(FileSystem.networkName(type: number) { nil } == name)
  }

  @Test(
    "is that of a FUSE program according to the mount table",
    arguments: [
      ("fuse.sshfs", true), ("fuse.rclone", true), ("fuse.mergerfs", false), ("fuseblk", false), (nil, false),
    ])
  func programs(mounted: String?, isNetwork: Bool) {
    #expect(FileSystem.networkName(type: 0x6573_5546) { mounted } == (isNetwork ? mounted : nil))
  }

  @Test("is found in the mount table by its device")
  func table() {
    #expect(FileSystem.mountedName(onDevice: 0, 51, in: Self.mounts) == "fuse.sshfs")
    #expect(FileSystem.mountedName(onDevice: 0, 52, in: Self.mounts) == "fuseblk")
    #expect(FileSystem.mountedName(onDevice: 254, 0, in: Self.mounts) == "ext4")
    #expect(FileSystem.mountedName(onDevice: 0, 5, in: Self.mounts) == nil)
  }

  @Test("is read-only as a whole only according to its own options, not to those of a mount")
  func readOnly() {
    let table = """
      36 25 254:1 / /data ro,relatime shared:1 - ext4 /dev/vdb rw
      37 25 254:2 / /broken rw,relatime shared:2 - ext4 /dev/vdc ro,errors=remount-ro
      38 25 254:3 / /old rw - ext4 /dev/vdd rw,errors=remount-ro
      39 25 254:5 / /aborted rw - ext4 /dev/vde rw,abort,emergency_ro
      """
    #expect(!FileSystem.isReadOnly(onDevice: 254, 1, in: table))
    #expect(FileSystem.isReadOnly(onDevice: 254, 2, in: table))
    #expect(!FileSystem.isReadOnly(onDevice: 254, 3, in: table))
    #expect(!FileSystem.isReadOnly(onDevice: 254, 4, in: table))
    #expect(FileSystem.isReadOnly(onDevice: 254, 5, in: table))
  }

  @Test("is that of the nearest existing directory")
  func missing() {
    #expect(FileSystem.networkName(at: "/proc/self/nowhere/deep") == nil)
    #expect(FileSystem.networkName(at: "") == nil)
  }
}
