// Nearest names: see NearestNames.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/NearestNames.h"
#include "common/cli/NearestMatch.h"
#include "dialects/Df/IR/Df.h"
#include "dialects/Dist/IR/Dist.h"
#include "dialects/Est/IR/Est.h"
#include "dialects/Kern/IR/Kern.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace mlc;

using Names = std::vector<std::string>;

template <typename... Ts> static Names mnemonicsOf() { return {Ts::getMnemonic().str()...}; }

static Names attributesOf(StringRef dialect) {
  if (dialect == "df")
    return mnemonicsOf<
#define GET_ATTRDEF_LIST
#include "dialects/Df/IR/DfOpsAttrs.cpp.inc"
        >();
  if (dialect == "est")
    return mnemonicsOf<
#define GET_ATTRDEF_LIST
#include "dialects/Est/IR/EstAttrs.cpp.inc"
        >();
  return {};
}

static Names typesOf(StringRef dialect) {
  if (dialect == "df")
    return mnemonicsOf<
#define GET_TYPEDEF_LIST
#include "dialects/Df/IR/DfOpsTypes.cpp.inc"
        >();
  if (dialect == "est")
    return mnemonicsOf<
#define GET_TYPEDEF_LIST
#include "dialects/Est/IR/EstTypes.cpp.inc"
        >();
  return {};
}

/// The op that `name` may be meant to be: one of `dialect`, or an op that another dialect of ours calls so.
static std::string nearestOp(MLIRContext &context, StringRef name, StringRef dialect) {
  Names own, others;
  const std::string bare = name.rsplit('.').second.str();
  for (StringRef from : {"df", "dist", "est", "kern"})
    for (RegisteredOperationName op : context.getRegisteredOperationsByDialect(from)) {
      if (from == dialect)
        own.push_back(op.stripDialect().str());
      else if (op.stripDialect() == bare)
        others.push_back(op.getStringRef().str());
    }
  if (!others.empty())
    return others.front();
  // Of names that are equally near the shortest: a letter too many is likelier than a wrong one.
  llvm::sort(
      own, [](const std::string &a, const std::string &b) { return std::pair(a.size(), a) < std::pair(b.size(), b); });
  std::string nearest = common::nearestMatch(bare, own);
  return nearest.empty() ? nearest : (dialect + "." + nearest).str();
}

/// What the message of an error may have meant, of what it says that `dialect` does not have; empty: nothing.
static std::string meantBy(MLIRContext &context, const std::string &message, StringRef dialect) {
  // MLIR's own words (AsmParser/Parser.cpp, IR/Verifier.cpp, and what TableGen writes for dialects).
  static const llvm::Regex unknownOp(
      "(custom op|unregistered operation) '([a-z_]+\\.[A-Za-z0-9_.]+)' (is unknown|found)");
  static const llvm::Regex unknownInDialect("unknown +(attribute|type) `([A-Za-z0-9_.]*)` in dialect `([a-z]+)`");
  SmallVector<StringRef> parts;
  if (unknownOp.match(message, &parts) && parts[2].split('.').first == dialect)
    return nearestOp(context, parts[2], dialect);
  if (unknownInDialect.match(message, &parts) && parts[3] == dialect) {
    const bool isAttribute = parts[1] == "attribute";
    std::string nearest = common::nearestMatch(parts[2].str(), isAttribute ? attributesOf(dialect) : typesOf(dialect));
    return nearest.empty() ? nearest : (isAttribute ? "#" : "!") + dialect.str() + "." + nearest;
  }
  return {};
}

template <typename D> static void addHandler(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, D *) {
    context->getDiagEngine().registerHandler([context](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        if (std::string meant = meantBy(*context, diagnostic.str(), D::getDialectNamespace()); !meant.empty())
          diagnostic.attachNote() << kDidYouMean << "'" << meant << "'?";
      return failure(); // for others to print
    });
  });
}

void mlc::registerNearestNames(DialectRegistry &registry) {
  addHandler<df::DfDialect>(registry);
  addHandler<dist::DistDialect>(registry);
  addHandler<est::EstDialect>(registry);
  addHandler<kern::KernDialect>(registry);
}
