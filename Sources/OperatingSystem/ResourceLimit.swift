import Glibc

/// Reads the resource limits of this process.
package enum ResourceLimit {
  /// Returns the soft limit of a resource, such as `RLIMIT_NOFILE`; nil, with the reason in `errno`, if it cannot be read.
  package static func soft(_ resource: __rlimit_resource) -> rlim_t? {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 ? limit.rlim_cur : nil
  }
}
