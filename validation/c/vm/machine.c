// The stack machine: one switch in a loop.
#include "vm.h"

void run(const Instruction* code, Machine* machine) {
  int64_t stack[MAX_STACK], *top = stack, executed = 0;
  for (const Instruction* at = code;; at++) {
    executed++;
    switch (at->operation) {
      case PUSH: *++top = at->operand; break;
      case LOAD: *++top = machine->variable[at->operand]; break;
      case STORE: machine->variable[at->operand] = *top--; break;
      case ADD: top--; top[0] += top[1]; break;
      case SUBTRACT: top--; top[0] -= top[1]; break;
      case MULTIPLY: top--; top[0] *= top[1]; break;
      case DIVIDE: top--; top[0] /= top[1]; break;
      case MODULO: top--; top[0] %= top[1]; break;
      case LESS: top--; top[0] = top[0] < top[1]; break;
      case EQUAL: top--; top[0] = top[0] == top[1]; break;
      case JUMP: at = code + at->operand - 1; break;
      case JUMP_FALSE: if (!*top--) at = code + at->operand - 1; break;
      case EMIT: if (machine->printed < MAX_OUTPUT) machine->output[machine->printed++] = *top; top--; break;
      case HALT: machine->executed = executed; return;
    }
  }
}
