/// The Swift face of the contract between Penstock and its plugins.
///
/// A plugin author conforms to `OperationRequest`, `RequirementOperation`, `OperationController` or
/// `OperationRunSpecification` of `Operations`, declares settings as a struct with ``Setting`` properties, and lists
/// what the plugin offers in a type that is a ``Plugin``. The kit describes it to the host, decodes settings and
/// requirements, runs operations as tasks that are cancelled when the host stops them, and encodes what comes of them.
///
/// What belongs here is only what stands between Swift and `penstock/plugin.h`. The kit must never know pipelines, YAML, or
/// how hosts work. What an author's tests need is `PluginKitTesting`; what a plugin may say to a host is `PluginABI`.
///
/// Read first: ``Plugin`` (what a shared object is), ``Offer`` (what it offers), ``PluginSettings`` (what an offer is told).
///
/// The folders, from top to bottom; each uses only those below it:
///
/// - `Entry`: a plugin, what the shared object exports of it, and what makes its instances.
/// - `Offers`: operations, controllers and specifications as offers, and what a controller tells by its controls.
/// - `Instances`: what runs behind an offer, as the contract starts, stops and destroys it.
/// - `Host`: the host as the contract has it: its functions, its clock, and what it gives to the context of an instance.
/// - `Instants`: what comes, as a controller or a specification knows it beforehand.
/// - `Context`: what plugin code finds in its context, with a host or without one.
/// - `Settings`: declared, described and decoded settings.
/// - `Problems`: errors as the host gets them.
/// - `Values`: what crosses the contract, encoded and decoded.
@_exported import Operations
@_exported import Values
