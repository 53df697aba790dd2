/* Waiting for and testing what was begun, for mpi_record.c. */

/* What came may be less than there was room for, and nothing comes to a receive that was cancelled. */
static void came(const struct started *s, MPI_Status *status) {
  int count = 0, cancelled = 0;
  if (!s->event || file->event[s->event - 1].act != act_ireceive) return;
  struct record_event *e = &file->event[s->event - 1];
  PMPI_Test_cancelled(status, &cancelled);
  if (cancelled) e->from = record_nobody;
  else if (e->from == record_nobody || PMPI_Get_count(status, MPI_BYTE, &count) != MPI_SUCCESS || count == MPI_UNDEFINED) return;
  file->site[s->site].bytes += count - e->bytes;
  e->bytes = count;
}
static int64_t end_request(MPI_Request handle, MPI_Status *status) {
  if (!file || handle == MPI_REQUEST_NULL) return 0;
  struct started *s = slot_of(handle, 0);
  if (!s || s->number < 0) return 0;
  came(s, status);
  int64_t number = s->number;
  if (s->persistent) s->number = -1;
  else s->number = 0;
  return number;
}
/* Requests as they are before a call that ends some of them, and room for their statuses if the program wants none. */
struct completing {
  MPI_Request *before;
  int64_t *numbers;
  int many;
  MPI_Status *status, *own;
};
static struct completing completing(int n, const MPI_Request *q, MPI_Status *s) {
  size_t room = (size_t)(n > 0 ? n : 1);
  struct completing c = {malloc(sizeof *c.before * room), malloc(sizeof *c.numbers * room), 0, s, 0};
  if (n > 0) memcpy(c.before, q, sizeof *q * (size_t)n);
  if (s == MPI_STATUSES_IGNORE || s == MPI_STATUS_IGNORE) c.status = c.own = malloc(sizeof *s * room);
  return c;
}
static void completed(struct completing *c, int request, int status) {
  if ((c->numbers[c->many] = end_request(c->before[request], &c->status[status]))) c->many++;
}
static void forget(struct completing *c) { free(c->before), free(c->numbers), free(c->own); }

static void waited(const char *name, void *place, const int64_t *numbers, int n) {
  add(&(struct call){.name = name, .place = place, .act = act_wait, .to = NOBODY, .from = NOBODY, .comm = MPI_COMM_WORLD, .requests = n, .request = numbers});
}
static void found_nothing(void) {
  if (file) file->head.polls++;
  go_on();
}

static void finish(struct completing *c, const char *name, void *place, int may_find_nothing) {
  if (c->many || !may_find_nothing) waited(name, place, c->numbers, c->many);
  else found_nothing();
  forget(c);
}

int MPI_Wait(MPI_Request *q, MPI_Status *s) {
  enter();
  struct completing c = completing(1, q, s);
  int r = PMPI_Wait(q, c.status);
  completed(&c, 0, 0);
  finish(&c, "MPI_Wait", HERE, 0);
  return r;
}
int MPI_Waitall(int n, MPI_Request *q, MPI_Status *s) {
  enter();
  struct completing c = completing(n, q, s);
  int r = PMPI_Waitall(n, q, c.status);
  for (int i = 0; i < n; i++) completed(&c, i, i);
  finish(&c, "MPI_Waitall", HERE, 0);
  return r;
}
int MPI_Waitany(int n, MPI_Request *q, int *index, MPI_Status *s) {
  enter();
  struct completing c = completing(n, q, s);
  int r = PMPI_Waitany(n, q, index, c.status);
  if (*index != MPI_UNDEFINED) completed(&c, *index, 0);
  finish(&c, "MPI_Waitany", HERE, 0);
  return r;
}
int MPI_Waitsome(int n, MPI_Request *q, int *done, int *indices, MPI_Status *s) {
  enter();
  struct completing c = completing(n, q, s);
  int r = PMPI_Waitsome(n, q, done, indices, c.status);
  for (int i = 0; *done != MPI_UNDEFINED && i < *done; i++) completed(&c, indices[i], i);
  finish(&c, "MPI_Waitsome", HERE, 0);
  return r;
}
int MPI_Test(MPI_Request *q, int *flag, MPI_Status *s) {
  enter();
  struct completing c = completing(1, q, s);
  int r = PMPI_Test(q, flag, c.status);
  if (*flag) completed(&c, 0, 0);
  finish(&c, "MPI_Test", HERE, 1);
  return r;
}
int MPI_Testall(int n, MPI_Request *q, int *flag, MPI_Status *s) {
  enter();
  struct completing c = completing(n, q, s);
  int r = PMPI_Testall(n, q, flag, c.status);
  for (int i = 0; *flag && i < n; i++) completed(&c, i, i);
  finish(&c, "MPI_Testall", HERE, 1);
  return r;
}
int MPI_Testany(int n, MPI_Request *q, int *index, int *flag, MPI_Status *s) {
  enter();
  struct completing c = completing(n, q, s);
  int r = PMPI_Testany(n, q, index, flag, c.status);
  if (*flag && *index != MPI_UNDEFINED) completed(&c, *index, 0);
  finish(&c, "MPI_Testany", HERE, 1);
  return r;
}
int MPI_Testsome(int n, MPI_Request *q, int *done, int *indices, MPI_Status *s) {
  enter();
  struct completing c = completing(n, q, s);
  int r = PMPI_Testsome(n, q, done, indices, c.status);
  for (int i = 0; *done != MPI_UNDEFINED && i < *done; i++) completed(&c, indices[i], i);
  finish(&c, "MPI_Testsome", HERE, 1);
  return r;
}
