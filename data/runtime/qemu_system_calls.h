/* The part of the plugin (qemu_blocks.c includes it) that counts what a program asks of the operating system, and the bytes that it reads and writes, once its own
 * code began: what the loader does before is part of starting a process. */
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, unsigned, int64_t, uint64_t, uint64_t, uint64_t,
                                                                     uint64_t, uint64_t, uint64_t, uint64_t, uint64_t));
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, unsigned, int64_t, int64_t));

static bool began; /* the program's own code */

static bool is_one_of(int64_t number, const short *of_x86, const short *of_arm) {
  for (const short *each = arm ? of_arm : of_x86; *each >= 0; each++)
    if (*each == number) return true;
  return false;
}
/* What the kernel answers without being called, from a page it shares with the program; qemu calls it. The clocks of processor
 * time (2 and 3) are not among it. */
static bool is_answered_in_user_mode(int64_t number, uint64_t clock) {
  static const short clock_gettime_x86[] = {228, -1}, clock_gettime_arm[] = {113, -1};
  static const short others_x86[] = {96, 201, 309, -1}, others_arm[] = {169, -1}; /* gettimeofday, time, getcpu */
  if (is_one_of(number, clock_gettime_x86, clock_gettime_arm)) return clock != 2 && clock != 3 && clock < 16;
  return is_one_of(number, others_x86, others_arm);
}

static void calls_system(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                         uint64_t f, uint64_t g, uint64_t h) {
  (void)id, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
  if (began && !is_apart(vcpu)) add(is_answered_in_user_mode(number, a) ? &head->clock_reads : &head->system_calls, 1);
}

static void comes_back(qemu_plugin_id_t id, unsigned vcpu, int64_t number, int64_t result) {
  /* read, pread64, readv, preadv, recvfrom, recvmsg; write, pwrite64, writev, pwritev, sendto, sendmsg, sendfile */
  static const short reads_x86[] = {0, 17, 19, 295, 45, 47, -1}, reads_arm[] = {63, 67, 65, 69, 207, 212, -1};
  static const short writes_x86[] = {1, 18, 20, 296, 44, 46, 40, -1}, writes_arm[] = {64, 68, 66, 70, 206, 211, 71, -1};
  (void)id;
  if (!began || is_apart(vcpu) || result <= 0) return;
  if (is_one_of(number, reads_x86, reads_arm)) add(&head->bytes_read, (uint64_t)result);
  if (is_one_of(number, writes_x86, writes_arm)) add(&head->bytes_written, (uint64_t)result);
}

static void count_system_calls(qemu_plugin_id_t id) {
  qemu_plugin_register_vcpu_syscall_cb(id, calls_system);
  qemu_plugin_register_vcpu_syscall_ret_cb(id, comes_back);
}
