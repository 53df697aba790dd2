// A small language: integers, variables a..z, while loops; compiled to byte code, run by a stack
// machine. The parts share only this header.
#ifndef PERFCAST_VALIDATION_VM_H
#define PERFCAST_VALIDATION_VM_H

#include <stdint.h>

enum Token { END, NUMBER, NAME, WHILE, IF, PRINT, SYMBOL };
typedef struct { enum Token kind; int64_t value; const char* rest; } Lexeme;
// The lexeme at the head of the text; `value` is the number, the variable or the symbol.
Lexeme next_lexeme(const char* text);

enum Operation { PUSH, LOAD, STORE, ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO, LESS, EQUAL, JUMP, JUMP_FALSE, EMIT, HALT };
typedef struct { enum Operation operation; int64_t operand; } Instruction;
enum { MAX_CODE = 1024, MAX_OUTPUT = 16, MAX_STACK = 64 };

// Compiles the program; number of instructions, or -1 when it is not well formed.
int compile(const char* text, Instruction* code);

typedef struct { int64_t variable[26], output[MAX_OUTPUT], executed; int printed; } Machine;
void run(const Instruction* code, Machine* machine);

#endif
