/// The Swift interface to the contract between Penstock and its plugins.
///
/// A plugin author conforms to `OperationRequest`, `RequirementOperation`, `OperationController` or `OperationRunSpecification` of `Operations`,
/// declares settings as a struct with ``Setting`` properties, and lists the plugin's offers in a type that is a ``Plugin``. The kit describes it to
/// the host, decodes settings and requirements, runs operations as tasks that are cancelled when the host stops them, and encodes their results.
///
/// This module contains only what lies between Swift and `penstock/plugin.h`. It must never know about pipelines, YAML, or the workings of hosts.
/// Support for authors' tests is in `PluginKitTesting`; the contract itself is in `PluginABI`.
///
/// Read first: ``Plugin`` (a shared object), ``Offer`` (what it offers), ``PluginSettings`` (the settings of an offer).
///
/// The folders, from top to bottom; each uses only those below it:
///
/// - `Entry`: a plugin, its exported functions, and the creation of its instances.
/// - `Offers`: operations, controllers and specifications as offers, and what a controller yields.
/// - `Instances`: the objects behind offers, which the contract starts, stops and destroys.
/// - `Host`: the host's side of the contract: its functions, its clock, and the context of an instance.
/// - `Instants`: coming instants that a controller or a specification knows in advance.
/// - `Context`: what plugin code finds in its context, with a host or without one.
/// - `Settings`: the declaration, description and decoding of settings.
/// - `Problems`: errors as the host receives them.
/// - `Values`: the encoding and decoding of values that cross the contract.
@_exported import Operations
@_exported import Values
