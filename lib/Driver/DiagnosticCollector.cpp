// MLIR's diagnostics as messages of ours: see DiagnosticCollector.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/DiagnosticCollector.h"
#include "lib/Driver/NearestNames.h"
#include "mlc/Frontend/DfProgram/DfProgram.h"

using namespace mlir;
using namespace mlc;

DiagnosticCollector::DiagnosticCollector(MLIRContext *context, common::MessageList &messages)
    : messages(messages), handler(context, [this](Diagnostic &diagnostic) { collect(diagnostic); }) {}

std::string DiagnosticCollector::lineOf(const common::Place &place) const {
  if (place.line <= 0 || place.file != file)
    return {};
  llvm::StringRef rest = text;
  for (int64_t line = 1; line < place.line && !rest.empty(); ++line)
    rest = rest.split('\n').second;
  return rest.split('\n').first.rtrim('\r').str();
}

void DiagnosticCollector::collect(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
    return;
  common::Message message = common::makeError(code, diagnostic.str());
  if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
    message.severity = common::Severity::Warning;
  message.place = frontend::placeOf(diagnostic.getLocation());
  message.sourceLine = lineOf(message.place);
  if (auto named = dyn_cast<NameLoc>(diagnostic.getLocation()))
    message.field = named.getName().str();
  // MLIR's note lists the dialects that there are, which are not what is missing.
  const bool lacksDialect = llvm::StringRef(message.what).contains("not found for custom op");
  if (lacksDialect)
    message.help = "if a plug-in has it, load that: --load FILE";
  for (Diagnostic &note : diagnostic.getNotes()) {
    if (lacksDialect)
      break;
    std::string text = note.str();
    if (llvm::StringRef(text).starts_with(kDidYouMean)) {
      message.help = text;
      continue;
    }
    if (llvm::StringRef expected = text; expected.consume_front("expected: ")) {
      message.expected = expected.str();
      continue;
    }
    common::Place related = frontend::placeOf(note.getLocation());
    related.label = text;
    message.related.push_back(related);
  }
  messages.add(message);
}
