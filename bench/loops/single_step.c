/* Traces a freestanding x86-64 binary by single-stepping it: for instructions that qemu-user does not know (AVX-512).
   single_step BINARY TRACE; records as trace_plugin.c writes them, without addresses. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <elf.h>
#include <stdlib.h>

/* The functions named k_*: [lo, hi). */
static void range_of_kernels(const char *path, uint64_t *lo, uint64_t *hi) {
  FILE *f = fopen(path, "rb");
  fseek(f, 0, SEEK_END);
  long size = ftell(f);
  char *image = malloc((size_t)size);
  rewind(f);
  if (fread(image, 1, (size_t)size, f) != (size_t)size) exit(3);
  fclose(f);
  Elf64_Ehdr *head = (Elf64_Ehdr *)image;
  Elf64_Shdr *sections = (Elf64_Shdr *)(image + head->e_shoff);
  *lo = ~0ull, *hi = 0;
  for (int s = 0; s < head->e_shnum; s++) {
    if (sections[s].sh_type != SHT_SYMTAB) continue;
    const char *names = image + sections[sections[s].sh_link].sh_offset;
    Elf64_Sym *symbols = (Elf64_Sym *)(image + sections[s].sh_offset);
    for (size_t k = 0; k < sections[s].sh_size / sizeof *symbols; k++) {
      if (ELF64_ST_TYPE(symbols[k].st_info) != STT_FUNC || strncmp(names + symbols[k].st_name, "k_", 2)) continue;
      if (symbols[k].st_value < *lo) *lo = symbols[k].st_value;
      if (symbols[k].st_value + symbols[k].st_size > *hi) *hi = symbols[k].st_value + symbols[k].st_size;
    }
  }
  free(image);
}

int main(int count, char **words) {
  if (count != 3) return 2;
  uint64_t lo, hi;
  range_of_kernels(words[1], &lo, &hi);
  pid_t child = fork();
  if (!child) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    execl(words[1], words[1], (char *)0);
    _exit(127);
  }
  FILE *out = fopen(words[2], "wb");
  int status;
  waitpid(child, &status, 0);
  while (WIFSTOPPED(status)) {
    struct user_regs_struct r;
    ptrace(PTRACE_GETREGS, child, 0, &r);
    if (r.rip >= lo && r.rip < hi) {
      uint64_t record[2] = {r.rip, 0};
      fwrite(record, sizeof record, 1, out);
    }
    ptrace(PTRACE_SINGLESTEP, child, 0, 0);
    waitpid(child, &status, 0);
  }
  return fclose(out);
}
