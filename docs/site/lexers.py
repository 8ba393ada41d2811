"""Colours for MLIR and for Estimator specs, which Pygments does not know."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text


class MlirLexer(RegexLexer):
    """Text of MLIR modules."""

    name = "MLIR"
    aliases = ["mlir"]
    tokens = {
        "root": [
            (r"\s+", Text),
            (r"//.*", Comment.Single),
            (r'"(?:[^"\\]|\\.)*"', String),
            (r"%[\w$.-]+(?:#\d+)?", Name.Variable),
            (r"@[\w$.-]+", Name.Function),
            (r"\^[\w$.-]+", Name.Label),
            (r"[!#][A-Za-z_][\w$.]*", Name.Decorator),
            (r"\b(?:tensor|vector|memref|index|none|bf16|[fiu]i?\d+)\b", Keyword.Type),
            (r"\b(?:attributes|dense|true|false|unit|step|wrt|to|from)\b", Keyword),
            (r"\b[a-z_]+\.[\w.]+", Name.Builtin),
            (r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?", Number),
            (r"[A-Za-z_][\w$]*", Name),
            (r"->|[=:?*+-]", Operator),
            (r".", Punctuation),
        ]
    }


class SpecLexer(RegexLexer):
    """Text of Estimator specs: protobuf's text format."""

    name = "Estimator spec"
    aliases = ["spec"]
    tokens = {
        "root": [
            (r"\s+", Text),
            (r"#.*", Comment.Single),
            (r'"(?:[^"\\]|\\.)*"', String),
            (r"[A-Za-z_]\w*(?=\s*[:{])", Name.Attribute),
            (r"\b(?:true|false)\b", Keyword.Constant),
            (r"[A-Z][A-Z0-9_]*\b", Name.Constant),
            (r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?", Number),
            (r"\w+", Name),
            (r".", Punctuation),
        ]
    }
