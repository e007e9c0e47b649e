import Expressions
import HTTPOperations
import PluginHost

/// A declared code of a finding about a pipeline file: one of the language's own, or of a module below it whose errors it reports.
///
/// Every code that conforms has a row in ``DiagnosticTable``, or is one that only runs meet; a test compares them.
package protocol FindingCode: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

extension DiagnosticCode: FindingCode {}
extension ExpressionCode: FindingCode {}
extension HTTPEncodingError.Code: FindingCode {}
extension PluginError.Code: FindingCode {}
extension PluginSettingProblem.Code: FindingCode {}
