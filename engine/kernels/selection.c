/* The best elements without overlap, best first: list filtering in one pass, and the first of a sorted list.

   The references are `best_without_overlap` (engine/ranking/selection/overlap.py) and `in_order`
   (engine/ranking/selection/selection.py) without this kernel. */
#include "kernels.h"
#include "selection.h"

/* The work of a change of a heap (limits.h). */
enum { OF_HEAP = 64 };

/* Whether one candidate comes after another one: by score, then in the order of articles, then of the document. */
static bool comes_after(const Candidates *c, int64_t one, int64_t other) {
    if (c->scores[one] != c->scores[other]) return c->scores[one] < c->scores[other];
    if (c->articles[one] != c->articles[other]) return c->articles[one] > c->articles[other];
    if (c->begins[one] != c->begins[other]) return c->begins[one] > c->begins[other];
    return one > other;
}

/* Keep the topmost of the candidates that score no less than everything inside them, ascending; return how many, -1 where
   time is over.

   The best score inside each is passed upwards from the last candidate to the first, since what is inside one follows
   it; `around` is the lowest candidate around each, -1 around none. */
static Py_ssize_t keep_apart(const Candidates *c, int64_t *kept, double *best_inside, int64_t *around) {
    for (Py_ssize_t at = 0; at < c->n; at++) {
        if (is_over(8)) return -1;
        int64_t outer = at - 1;
        while (outer >= 0 && c->ends[outer] <= c->begins[at]) outer = around[outer];
        around[at] = outer;
        best_inside[at] = c->scores[at];
    }
    for (Py_ssize_t at = c->n - 1; at >= 0; at--) {
        if (is_over_at(at, 4)) return -1;
        if (around[at] >= 0 && best_inside[at] > best_inside[around[at]]) best_inside[around[at]] = best_inside[at];
    }
    Py_ssize_t n = 0;
    int64_t reach = 0;
    for (Py_ssize_t at = 0; at < c->n; at++) {
        if (is_over_at(at, 4)) return -1;
        if (c->scores[at] != best_inside[at]) continue;
        if (reach <= c->begins[at]) kept[n++] = at;
        if (c->ends[at] > reach) reach = c->ends[at];
    }
    return n;
}

/* Restore a heap, with the last in order at its top, of which one element is not in its place. */
static void sift_down(const Candidates *c, int64_t *heap, Py_ssize_t n, Py_ssize_t at) {
    int64_t moved = heap[at];
    for (Py_ssize_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && comes_after(c, heap[child + 1], heap[child])) child++;
        if (!comes_after(c, heap[child], moved)) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

Py_ssize_t first_in_order(const Candidates *c, int64_t *places, Py_ssize_t n, Py_ssize_t n_first) {
    Py_ssize_t size = n < n_first ? n : n_first;
    for (Py_ssize_t at = size / 2 - 1; at >= 0; at--) {
        if (is_over(OF_HEAP)) return -1;
        sift_down(c, places, size, at);
    }
    for (Py_ssize_t at = size; size && at < n; at++) {
        if (is_over_at(at, 4)) return -1;
        if (!comes_after(c, places[0], places[at])) continue;
        if (is_over(OF_HEAP)) return -1;
        places[0] = places[at];
        sift_down(c, places, size, 0);
    }
    for (Py_ssize_t left = size - 1; left > 0; left--) {
        if (is_over(OF_HEAP)) return -1;
        int64_t last = places[0];
        places[0] = places[left];
        places[left] = last;
        sift_down(c, places, left, 0);
    }
    return size;
}

Py_ssize_t first_apart(const Candidates *c, int64_t *places, double *best_inside, int64_t *around, Py_ssize_t n_first) {
    Py_ssize_t n = keep_apart(c, places, best_inside, around);
    return n < 0 ? -1 : first_in_order(c, places, n, n_first < 0 ? 0 : n_first);
}

PyObject *best_apart(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[4], *result = NULL;
    Array arrays[4] = {0};
    Candidates c = {0};
    int64_t *places = NULL, *around = NULL;
    double *best_inside = NULL;
    Py_ssize_t n_first, n;
    if (!PyArg_ParseTuple(arguments, "OOOOn", objects, objects + 1, objects + 2, objects + 3, &n_first)) return NULL;
    if (!open_array(objects[0], INT64, arrays, "begins") || !open_array(objects[1], INT64, arrays + 1, "ends") ||
        !open_array(objects[2], INT64, arrays + 2, "articles") || !open_array(objects[3], FLOAT64, arrays + 3, "scores"))
        goto done;
    c = (Candidates){
        VALUES(arrays[0], int64_t), VALUES(arrays[1], int64_t), VALUES(arrays[2], int64_t), VALUES(arrays[3], double),
        arrays[0].n};
    REFUSE_IF(arrays[1].n != c.n || arrays[2].n != c.n || arrays[3].n != c.n, "columns of candidates differ in length");
    places = memory(c.n, sizeof(int64_t)), around = memory(c.n, sizeof(int64_t));
    best_inside = memory(c.n, sizeof(double));
    if (!places || !around || !best_inside) goto done;
    Py_BEGIN_ALLOW_THREADS
    n = first_apart(&c, places, best_inside, around, n_first);
    Py_END_ALLOW_THREADS
    if (n < 0) {
        no_memory();
        goto done;
    }
    int64_t *found;
    if ((result = new_values(n, 8, (void **)&found))) memcpy(found, places, (size_t)n * sizeof(int64_t));
done:
    give_back(places);
    give_back(around);
    give_back(best_inside);
    close_arrays(arrays, 4);
    return result;
}
