/* Where calls come from and whom they go to, for mpi_record.c: call sites, and communicators as groups of ranks. */

static struct { void *place; const char *call; } known_sites[record_sites];

static int site_of(void *place, const char *call) {
  uintptr_t hash = ((uintptr_t)place * 0x9E3779B97F4A7C15ull) >> 40;
  for (int probe = 0; probe < record_sites; probe++) {
    int i = (int)((hash + (uintptr_t)probe) % record_sites);
    if (known_sites[i].place == place && known_sites[i].call == call) return i;
    if (known_sites[i].place) continue;
    known_sites[i].place = place, known_sites[i].call = call;
    file->head.sites++;
    Dl_info info = {0};
    if (!dladdr(place, &info)) info.dli_fbase = 0;
    if (names) {
      /* The return address lies behind the call: one byte back is the call itself. */
      fprintf(names, "site %d %s %lx %s %s\n", i, call, (unsigned long)((char *)place - 1 - (char *)info.dli_fbase),
              info.dli_fname ? info.dli_fname : "-", info.dli_sname ? info.dli_sname : "-");
      fflush(names);
    }
    return i;
  }
  return 0;
}

/* Communicators come and go; groups with the same ranks are one group, as the reader sees them. */
static struct { int size; int *ranks; } *known_groups;
static struct { MPI_Comm comm; int group, partners, inter; } *known_comms; /* partners: the group that ranks are told in */
static int groups, comms;

static void *one_more(void *list, int many, size_t size) {
  return many & (many - 1) ? list : realloc(list, size * (size_t)(many ? 2 * many : 1));
}

static int number_of_group(MPI_Group group) {
  int size = 0;
  MPI_Group world;
  PMPI_Group_size(group, &size);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  int *from = malloc(sizeof(int) * (size_t)(size + 1)), *to = malloc(sizeof(int) * (size_t)(size + 1));
  for (int i = 0; i < size; i++) from[i] = i;
  PMPI_Group_translate_ranks(group, size, from, world, to);
  PMPI_Group_free(&world);
  free(from);
  for (int i = 0; i < groups; i++)
    if (known_groups[i].size == size && memcmp(known_groups[i].ranks, to, sizeof(int) * (size_t)size) == 0) {
      free(to);
      return i;
    }
  known_groups = one_more(known_groups, groups, sizeof *known_groups);
  known_groups[groups].size = size, known_groups[groups].ranks = to;
  if (names) {
    fprintf(names, "group %d", groups);
    for (int k = 0; k < size; k++) fprintf(names, " %d", to[k]);
    fputc('\n', names);
    fflush(names);
  }
  file->head.groups = groups + 1;
  return groups++;
}

static int group_of_comm(MPI_Comm comm, int (*get)(MPI_Comm, MPI_Group *)) {
  MPI_Group group;
  get(comm, &group);
  int number = number_of_group(group);
  PMPI_Group_free(&group);
  return number;
}
/* The two sides of an intercommunicator have no group in common but everybody. */
static int comm_of(MPI_Comm comm) {
  if (groups == 0) group_of_comm(MPI_COMM_WORLD, PMPI_Comm_group);
  int unused = comms;
  for (int i = 0; i < comms; i++) {
    if (known_comms[i].comm == comm) return i;
    if (known_comms[i].comm == MPI_COMM_NULL) unused = i;
  }
  if (unused == comms) known_comms = one_more(known_comms, comms, sizeof *known_comms), comms++;
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  known_comms[unused].comm = comm, known_comms[unused].inter = inter;
  known_comms[unused].partners = group_of_comm(comm, inter ? PMPI_Comm_remote_group : PMPI_Comm_group);
  known_comms[unused].group = inter ? 0 : known_comms[unused].partners;
  return unused;
}
static void forget_comm(MPI_Comm comm) {
  for (int i = 0; i < comms; i++)
    if (known_comms[i].comm == comm) known_comms[i].comm = MPI_COMM_NULL;
}

/* The rank in MPI_COMM_WORLD. */
static int world_rank(int rank, int group) {
  if (rank == MPI_ANY_SOURCE) return record_anybody;
  if (rank == MPI_PROC_NULL || rank < 0) return record_nobody;
  return rank < known_groups[group].size ? known_groups[group].ranks[rank] : record_nobody;
}
