/// The Swift face of the contract between Penstock and its plugins.
///
/// A plugin author conforms to `OperationRequest`, `RequirementOperation`, `OperationController` or
/// `OperationRunSpecification` of `Operations`, declares settings as a struct with ``Setting`` properties, and lists
/// what the plugin offers in a type that is a ``Plugin``. The kit describes it to the host, decodes settings and
/// requirements, runs operations as tasks that are cancelled when the host stops them, and encodes what comes of them.
///
/// Read ``Plugin``, ``Offer`` and ``PluginSettings`` first. What belongs here is only what stands between Swift and
/// `penstock/plugin.h`; the kit knows nothing of pipelines, of YAML, or of how hosts work.
@_exported import Operations
@_exported import Values
