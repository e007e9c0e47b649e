import Workspace

/// The amount of a resource that operations of all processes share.
struct StoredResource: Storable {
  /// The name, in lower case.
  var key: String
  var name: String
  var amount: Int64

  static let key = Field("key", \StoredResource.key)
  static let name = Field("name", \StoredResource.name)
  static let amount = Field("amount", \StoredResource.amount)
  static let schema = ObjectSchema("resource_record", StoredResource.init, key, name, amount, key: key)
}
