// Lexemes to byte code by recursive descent:
//   statement  = name "=" comparison ";" | "print" comparison ";" | ("while" | "if") comparison block
//   block      = "{" statement* "}"
//   comparison = sum [("<" | "~") sum]      (~ is equality)
//   sum        = term (("+" | "-") term)*,  term = factor (("*" | "/" | "%") factor)*
#include "vm.h"

static Lexeme now;
static Instruction* out;
static int length, broken;

static void advance(void) { now = next_lexeme(now.rest); }

static int emit(enum Operation operation, int64_t operand) {
  if (length >= MAX_CODE) {
    broken = 1;
    return 0;
  }
  out[length] = (Instruction){operation, operand};
  return length++;
}

static int accept(int symbol) {
  if (now.kind != SYMBOL || now.value != symbol) return 0;
  advance();
  return 1;
}

static void expect(int symbol) {
  if (!accept(symbol)) broken = 1;
}

static void comparison(void);

static void factor(void) {
  Lexeme here = now;
  if (accept('(')) {
    comparison();
    expect(')');
    return;
  }
  if (here.kind == NUMBER) emit(PUSH, here.value);
  else if (here.kind == NAME) emit(LOAD, here.value);
  else broken = 1;
  advance();
}

static void term(void) {
  factor();
  for (;;)
    if (accept('*')) factor(), emit(MULTIPLY, 0);
    else if (accept('/')) factor(), emit(DIVIDE, 0);
    else if (accept('%')) factor(), emit(MODULO, 0);
    else return;
}

static void sum(void) {
  term();
  for (;;)
    if (accept('+')) term(), emit(ADD, 0);
    else if (accept('-')) term(), emit(SUBTRACT, 0);
    else return;
}

static void comparison(void) {
  sum();
  if (accept('<')) sum(), emit(LESS, 0);
  else if (accept('~')) sum(), emit(EQUAL, 0);
}

static void statement(void) {
  Lexeme here = now;
  advance();
  if (here.kind == WHILE || here.kind == IF) {
    int top = length;
    comparison();
    int exit = emit(JUMP_FALSE, 0);
    expect('{');
    while (!broken && !(now.kind == SYMBOL && now.value == '}') && now.kind != END) statement();
    expect('}');
    if (here.kind == WHILE) emit(JUMP, top);
    out[exit].operand = length;
    return;
  }
  if (here.kind == NAME) expect('=');
  else if (here.kind != PRINT) broken = 1;
  comparison();
  expect(';');
  if (here.kind == NAME) emit(STORE, here.value);
  else emit(EMIT, 0);
}

int compile(const char* text, Instruction* code) {
  out = code;
  length = broken = 0;
  now = next_lexeme(text);
  while (!broken && now.kind != END) statement();
  emit(HALT, 0);
  return broken ? -1 : length;
}
