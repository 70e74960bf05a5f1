/* What elements inherit from their parents, and the better one of their neighbours, in one pass each.

   The references are `inherited` (engine/ranking/parts/inheritance.py) and `best_neighbours`
   (engine/ranking/parts/neighbours.py) without these kernels. */
#include "kernels.h"

PyObject *inherited(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[3], *result = NULL;
    Array arrays[3] = {0};
    double weight;
    if (!PyArg_ParseTuple(arguments, "OOOd", objects, objects + 1, objects + 2, &weight)) return NULL;
    if (!open_array(objects[0], FLOAT64, arrays, "scores") || !open_array(objects[1], INT64, arrays + 1, "parents") ||
        !open_array(objects[2], BOOL, arrays + 2, "is_root"))
        goto done;
    const double *scores = VALUES(arrays[0], double);
    const int64_t *parents = VALUES(arrays[1], int64_t);
    const uint8_t *is_root = VALUES(arrays[2], uint8_t);
    Py_ssize_t n = arrays[0].n;
    REFUSE_IF(arrays[1].n != n || arrays[2].n != n, "columns of elements differ in length");
    for (Py_ssize_t at = 0; at < n; at++)
        REFUSE_IF(parents[at] < 0 || parents[at] > at, "a parent comes after its child");
    double *of_parents;
    if (!(result = new_values(n, 8, (void **)&of_parents))) goto done;
    bool is_late = false;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t at = 0; at < n; at++) { /* parents come before their children; roots pass nothing down */
        if ((is_late = is_over_at(at, 4))) break;
        int64_t parent = parents[at];
        of_parents[at] = parent != at && !is_root[parent] ? scores[parent] + weight * of_parents[parent] : 0.0;
    }
    Py_END_ALLOW_THREADS
    if (is_late) {
        Py_CLEAR(result);
        no_memory();
    }
done:
    close_arrays(arrays, 3);
    return result;
}

/* Of equals, the neighbour before an element counts. False where time is over. */
static bool find_best(
    const double *scores, const int64_t *left, const int64_t *right, Py_ssize_t n_pairs, double *best, int64_t *place
) {
    for (Py_ssize_t at = 0; at < n_pairs; at++) {
        if (is_over_at(at, 8)) return false;
        best[right[at]] = scores[left[at]], place[right[at]] = left[at];
    }
    for (Py_ssize_t at = 0; at < n_pairs; at++) {
        if (is_over_at(at, 8)) return false;
        if (scores[right[at]] > best[left[at]]) best[left[at]] = scores[right[at]], place[left[at]] = right[at];
    }
    return true;
}

PyObject *best_neighbours(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[3], *of_best = NULL, *of_places = NULL, *result = NULL;
    Array arrays[3] = {0};
    if (!PyArg_ParseTuple(arguments, "OOO", objects, objects + 1, objects + 2)) return NULL;
    if (!open_array(objects[0], FLOAT64, arrays, "scores") || !open_array(objects[1], INT64, arrays + 1, "left") ||
        !open_array(objects[2], INT64, arrays + 2, "right"))
        goto done;
    const int64_t *left = VALUES(arrays[1], int64_t), *right = VALUES(arrays[2], int64_t);
    Py_ssize_t n = arrays[0].n, n_pairs = arrays[1].n;
    REFUSE_IF(
        arrays[2].n != n_pairs || !all_below(left, n_pairs, n) || !all_below(right, n_pairs, n),
        "neighbours are not elements");
    double *best;
    int64_t *place;
    bool is_done;
    if (!(of_best = new_values(n, 8, (void **)&best)) || !(of_places = new_values(n, 8, (void **)&place))) goto done;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t at = 0; at < n; at++) best[at] = 0.0, place[at] = -1;
    is_done = find_best(VALUES(arrays[0], double), left, right, n_pairs, best, place);
    Py_END_ALLOW_THREADS
    result = is_done ? Py_BuildValue("OO", of_best, of_places) : no_memory();
done:
    Py_XDECREF(of_best);
    Py_XDECREF(of_places);
    close_arrays(arrays, 3);
    return result;
}
