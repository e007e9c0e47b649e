import Expressions
import HTTPOperations
import PluginHost

/// A declared code of findings about pipeline files: one of the language's own, or of a lower module whose errors the language reports.
///
/// Every conforming code has a row in ``DiagnosticTable``, or only occurs in runs; a test verifies this.
package protocol FindingCode: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

extension DiagnosticCode: FindingCode {}
extension ExpressionCode: FindingCode {}
extension HTTPEncodingError.Code: FindingCode {}
extension PluginError.Code: FindingCode {}
extension PluginSettingProblem.Code: FindingCode {}
