/* A plugin for qemu-user 7.2 or later: writes program counter, size and address of every instruction executed in
   [lo, hi). Declares the few functions it uses itself: distributions do not ship the header. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t Id;
typedef uint32_t Memory;
__attribute__((visibility("default"))) int qemu_plugin_version = 1;
void qemu_plugin_register_vcpu_tb_trans_cb(Id, void (*)(Id, struct qemu_plugin_tb *));
void qemu_plugin_register_atexit_cb(Id, void (*)(Id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, void (*)(unsigned, void *), int, void *);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, void (*)(unsigned, Memory, uint64_t, void *), int, int, void *);

struct Record { uint64_t pc, address; };
static struct Record buffer[1 << 16];
static size_t used;
static FILE *out;
static uint64_t lo, hi;

static void flush(void) { fwrite(buffer, sizeof buffer[0], used, out), used = 0; }
static void executed(unsigned cpu, void *pc) {
  (void)cpu;
  if (used == sizeof buffer / sizeof buffer[0]) flush();
  buffer[used].pc = (uint64_t)(uintptr_t)pc, buffer[used++].address = 0;
}
static void accessed(unsigned cpu, Memory what, uint64_t address, void *pc) {
  (void)cpu, (void)what;
  if (!used || buffer[used - 1].pc != (uint64_t)(uintptr_t)pc) return;
  uint64_t *first = &buffer[used - 1].address;
  if (!*first || address < *first) *first = address;
}
static void translated(Id id, struct qemu_plugin_tb *tb) {
  (void)id;
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
    struct qemu_plugin_insn *one = qemu_plugin_tb_get_insn(tb, i);
    uint64_t pc = qemu_plugin_insn_vaddr(one);
    if (pc < lo || pc >= hi) continue;
    qemu_plugin_register_vcpu_insn_exec_cb(one, executed, 0, (void *)(uintptr_t)pc);
    qemu_plugin_register_vcpu_mem_cb(one, accessed, 0, 3, (void *)(uintptr_t)pc);
  }
}
static void ended(Id id, void *nothing) { (void)id, (void)nothing, flush(), fclose(out); }
__attribute__((visibility("default"))) int qemu_plugin_install(Id id, const void *info, int count, char **words) {
  (void)info;
  const char *path = "trace.bin";
  for (int i = 0; i < count; i++) {
    char *value = strchr(words[i], '=');
    if (!value) continue;
    if (!strncmp(words[i], "lo", 2)) lo = strtoull(value + 1, 0, 16);
    else if (!strncmp(words[i], "hi", 2)) hi = strtoull(value + 1, 0, 16);
    else if (!strncmp(words[i], "out", 3)) path = value + 1;
  }
  out = fopen(path, "wb");
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, ended, 0);
  return out ? 0 : 1;
}
