// Text to lexemes.
#include <ctype.h>
#include <string.h>

#include "vm.h"

static int is_word(const char* text, const char* word, size_t length) {
  return strncmp(text, word, length) == 0 && !isalnum((unsigned char)text[length]);
}

Lexeme next_lexeme(const char* text) {
  while (isspace((unsigned char)*text)) text++;
  if (!*text) return (Lexeme){END, 0, text};
  if (isdigit((unsigned char)*text)) {
    int64_t value = 0;
    while (isdigit((unsigned char)*text)) value = 10 * value + (*text++ - '0');
    return (Lexeme){NUMBER, value, text};
  }
  if (is_word(text, "while", 5)) return (Lexeme){WHILE, 0, text + 5};
  if (is_word(text, "if", 2)) return (Lexeme){IF, 0, text + 2};
  if (is_word(text, "print", 5)) return (Lexeme){PRINT, 0, text + 5};
  if (islower((unsigned char)*text)) return (Lexeme){NAME, *text - 'a', text + 1};
  return (Lexeme){SYMBOL, *text, text + 1};
}
