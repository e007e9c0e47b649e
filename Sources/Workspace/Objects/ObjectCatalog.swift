/// The types whose objects a workspace keeps.
struct ObjectCatalog: Sendable {
  private let types: Set<ObjectIdentifier>

  init(_ types: [any Storable.Type]) {
    self.types = Set(types.map { ObjectIdentifier($0) })
  }

  func check(_ type: any Storable.Type, path: String) throws(WorkspaceError) {
    guard types.contains(ObjectIdentifier(type)) else { throw .unknownType(path: path, type: String(describing: type)) }
  }
}

extension Storable {
  /// What does not depend on the type.
  static var table: TableDescription { schema.table }
}
