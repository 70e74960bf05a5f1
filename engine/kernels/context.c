/* What ancestors, headings and neighbours add to the scores of elements, in one pass each.

   The reference is `in_context` (engine/ranking/scoring/context_scores.py) without this kernel. */
#include "kernels.h"

typedef struct {
    const double *own, *of_headings;
    const int64_t *parents, *left, *right;
    const uint8_t *is_root;
    Py_ssize_t n, n_neighbours;
    double of_parent, of_heading, of_neighbour;  /* weights */
} Surroundings;

/* Parents come before their children; roots pass nothing down. */
static void inherit(const Surroundings *s, double *totals) {
    memcpy(totals, s->own, (size_t)s->n * sizeof(double));
    if (s->of_parent == 0) return;
    for (Py_ssize_t at = 0; at < s->n; at++) {
        int64_t parent = s->parents[at];
        if (parent != at && !s->is_root[parent]) totals[at] += s->of_parent * totals[parent];
    }
}

/* The better score beside each element, and where that is; of equals, that of the one before it. */
static void find_neighbours(const Surroundings *s, double *best, int64_t *place) {
    for (Py_ssize_t at = 0; at < s->n; at++) best[at] = 0.0, place[at] = -1;
    for (Py_ssize_t at = 0; at < s->n_neighbours; at++) {
        best[s->right[at]] = s->own[s->left[at]];
        place[s->right[at]] = s->left[at];
    }
    for (Py_ssize_t at = 0; at < s->n_neighbours; at++)
        if (s->own[s->right[at]] > best[s->left[at]]) {
            best[s->left[at]] = s->own[s->right[at]];
            place[s->left[at]] = s->right[at];
        }
}

static void add_up(const Surroundings *s, double *totals, const double *of_neighbours) {
    for (Py_ssize_t at = 0; at < s->n; at++)
        totals[at] = totals[at] + s->of_heading * s->of_headings[at] + s->of_neighbour * of_neighbours[at];
}

static bool fits(const Surroundings *s, const Array *arrays) {
    for (int number = 1; number < 4; number++)
        if (arrays[number].n != s->n) return refuse("columns of elements differ in length");
    if (arrays[5].n != s->n_neighbours || !all_below(s->left, s->n_neighbours, s->n) ||
        !all_below(s->right, s->n_neighbours, s->n))
        return refuse("neighbours are not elements");
    for (Py_ssize_t at = 0; at < s->n; at++)
        if (s->parents[at] < 0 || s->parents[at] > at) return refuse("a parent comes after its child");
    return true;
}

PyObject *in_context(PyObject *module, PyObject *arguments) {
    static const Type types[] = {{"d", 8}, {"d", 8}, {"lq", 8}, {"?", 1}, {"lq", 8}, {"lq", 8}};
    static const char *names[] = {"own", "of_headings", "parents", "is_root", "left", "right"};
    PyObject *objects[6], *scores = NULL, *places = NULL, *result = NULL;
    Array arrays[6] = {0};
    Surroundings s = {0};
    if (!PyArg_ParseTuple(
            arguments, "OOOOOOddd", objects, objects + 1, objects + 2, objects + 3, objects + 4, objects + 5,
            &s.of_parent, &s.of_heading, &s.of_neighbour))
        return NULL;
    for (int number = 0; number < 6; number++)
        if (!open_array(objects[number], types[number], arrays + number, names[number])) goto done;
    s.own = VALUES(arrays[0], double), s.of_headings = VALUES(arrays[1], double);
    s.parents = VALUES(arrays[2], int64_t), s.is_root = VALUES(arrays[3], uint8_t);
    s.left = VALUES(arrays[4], int64_t), s.right = VALUES(arrays[5], int64_t);
    s.n = arrays[0].n, s.n_neighbours = arrays[4].n;
    if (!fits(&s, arrays)) goto done;
    double *totals;
    int64_t *place;
    if (!(scores = new_values(2 * s.n, 8, (void **)&totals)) || !(places = new_values(s.n, 8, (void **)&place))) goto done;
    Py_BEGIN_ALLOW_THREADS
    inherit(&s, totals);
    find_neighbours(&s, totals + s.n, place);
    add_up(&s, totals, totals + s.n);
    Py_END_ALLOW_THREADS
    result = Py_BuildValue("OO", scores, places);
done:
    Py_XDECREF(scores);
    Py_XDECREF(places);
    close_arrays(arrays, 6);
    return result;
}
