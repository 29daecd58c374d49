// The end of a preprocessor directive: the end of its line or of the file, which a regular expression cannot say.

#include "tree_sitter/parser.h"

enum TokenType { LINE_END, ERROR_SENTINEL };

void *tree_sitter_glsl_coopmat_external_scanner_create(void) { return NULL; }
void tree_sitter_glsl_coopmat_external_scanner_destroy(void *payload) { (void)payload; }
unsigned tree_sitter_glsl_coopmat_external_scanner_serialize(void *payload, char *buffer) {
  (void)payload;
  (void)buffer;
  return 0;
}
void tree_sitter_glsl_coopmat_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  (void)payload;
  (void)buffer;
  (void)length;
}

bool tree_sitter_glsl_coopmat_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid_symbols) {
  (void)payload;
  // Everything is valid only while the parser recovers from an error.
  if (valid_symbols[ERROR_SENTINEL] || !valid_symbols[LINE_END]) return false;
  for (;;) {
    switch (lexer->lookahead) {
      case ' ':
      case '\t':
      case '\r':
      case '\v':
      case '\f':
        lexer->advance(lexer, true);
        break;
      case '\\':
        lexer->advance(lexer, true);
        if (lexer->lookahead == '\r') lexer->advance(lexer, true);
        if (lexer->lookahead != '\n') return false;
        lexer->advance(lexer, true);
        break;
      case '\n':
        lexer->result_symbol = LINE_END;
        return true;
      default:
        if (!lexer->eof(lexer)) return false;
        lexer->result_symbol = LINE_END;
        return true;
    }
  }
}
