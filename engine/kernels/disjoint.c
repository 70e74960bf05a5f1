/* The first intervals of a list that share nothing with those before them, group by group.

   The reference is `passages_without_overlap` (engine/ranking/selection/overlap.py) without this kernel. */
#include "kernels.h"

typedef struct {
    const int64_t *begins, *ends, *groups;
    Py_ssize_t n, n_groups, n_wanted, most;  /* most: intervals of a group that are taken, -1 for any */
} Intervals;

/* The intervals taken of all groups, ascending in each: room for those of a group begins at `first`. */
typedef struct {
    int64_t *begins, *ends;
    Py_ssize_t *first, *n;
} Taken;

/* The first place of ascending values whose value is more than `wanted`. */
static Py_ssize_t upper_bound(const int64_t *values, Py_ssize_t n, int64_t wanted) {
    Py_ssize_t low = 0;
    while (low < n) {
        Py_ssize_t middle = low + (n - low) / 2;
        if (values[middle] <= wanted) low = middle + 1;
        else n = middle;
    }
    return low;
}

static void insert(int64_t *values, Py_ssize_t n, Py_ssize_t at, int64_t value) {
    memmove(values + at + 1, values + at, (size_t)(n - at) * sizeof(int64_t));
    values[at] = value;
}

/* Find the places of the intervals; return how many, -1 where time is over. */
static Py_ssize_t find(const Intervals *given, Taken *taken, int64_t *places) {
    Py_ssize_t n_found = 0;
    for (Py_ssize_t at = 0; at < given->n; at++) taken->n[given->groups[at]]++;
    for (Py_ssize_t group = 0, n = 0; group < given->n_groups; group++) {
        taken->first[group] = n;
        n += taken->n[group];
        taken->n[group] = 0;
    }
    for (Py_ssize_t at = 0; at < given->n; at++) {
        int64_t group = given->groups[at], begin = given->begins[at];
        int64_t *begins = taken->begins + taken->first[group], *ends = taken->ends + taken->first[group];
        Py_ssize_t n = taken->n[group];
        if (is_over(16)) return -1;
        if (n == given->most) continue;
        Py_ssize_t place = upper_bound(begins, n, begin);
        if ((place && ends[place - 1] > begin) || (place < n && begins[place] < given->ends[at])) continue;
        if (is_over((n - place) / 4)) return -1;
        insert(begins, n, place, begin);
        insert(ends, n, place, given->ends[at]);
        taken->n[group]++;
        places[n_found++] = at;
        if (n_found == given->n_wanted) break;
    }
    return n_found;
}

PyObject *first_disjoint(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[3], *result = NULL;
    Array arrays[3] = {0};
    Intervals given = {0};
    Taken taken = {0};
    int64_t *places = NULL;
    Py_ssize_t n_found;
    if (!PyArg_ParseTuple(
            arguments, "OOOnnn", objects, objects + 1, objects + 2, &given.n_groups, &given.n_wanted, &given.most))
        return NULL;
    if (!open_array(objects[0], INT64, arrays, "begins") || !open_array(objects[1], INT64, arrays + 1, "ends") ||
        !open_array(objects[2], INT64, arrays + 2, "groups"))
        goto done;
    given.begins = VALUES(arrays[0], int64_t), given.ends = VALUES(arrays[1], int64_t);
    given.groups = VALUES(arrays[2], int64_t), given.n = arrays[0].n;
    REFUSE_IF(
        arrays[1].n != given.n || arrays[2].n != given.n || given.n_groups < 0 ||
        !all_below(given.groups, given.n, given.n_groups), "intervals differ in length, or are of no group");
    taken.begins = memory(given.n, sizeof(int64_t)), taken.ends = memory(given.n, sizeof(int64_t));
    taken.first = zeroed_memory(given.n_groups, sizeof(Py_ssize_t));
    taken.n = zeroed_memory(given.n_groups, sizeof(Py_ssize_t));
    places = memory(given.n, sizeof(int64_t));
    if (!taken.begins || !taken.ends || !taken.first || !taken.n || !places) goto done;
    Py_BEGIN_ALLOW_THREADS
    n_found = find(&given, &taken, places);
    Py_END_ALLOW_THREADS
    int64_t *found;
    if (n_found < 0) no_memory();
    else if ((result = new_values(n_found, 8, (void **)&found)) && n_found)
        memcpy(found, places, (size_t)n_found * sizeof(int64_t));
done:
    give_back(places);
    give_back(taken.begins);
    give_back(taken.ends);
    give_back(taken.first);
    give_back(taken.n);
    close_arrays(arrays, 3);
    return result;
}
