/* High bits of ascending numbers (engine/columns/ascending_column.py): how many carries there are up to each place; the
   reference is `np.searchsorted(carries, places, side="right")`. */
#include "kernels.h"

static const Type UINT32 = {"IL", 4};

/* Carries and how many there are before each block of places, then before the end. */
typedef struct {
    const uint32_t *carries;
    const int32_t *before;
    Py_ssize_t n_carries, n_blocks;
    int bits;  /* log2 of the places in a block */
} Carries;

/* Count the carries up to each place; return false for a place outside, or for blocks of other carries. */
static bool count(const Carries *c, const int64_t *places, Py_ssize_t n, int64_t *counts) {
    for (Py_ssize_t at = 0; at < n; at++) {
        int64_t place = places[at], block = place >> c->bits;
        if (place < 0 || block >= c->n_blocks) return false;
        int64_t first = c->before[block], end = c->before[block + 1];
        if (first < 0 || end > c->n_carries) return false;
        while (first < end && c->carries[first] <= place) first++;
        counts[at] = first;
    }
    return true;
}

PyObject *carries_up_to(PyObject *module, PyObject *arguments) {
    PyObject *objects[3], *result = NULL;
    Array arrays[3] = {0};
    int bits;
    int64_t *counts;
    bool is_counted;
    if (!PyArg_ParseTuple(arguments, "OOiO", objects, objects + 1, &bits, objects + 2)) return NULL;
    if (!open_array(objects[0], UINT32, arrays, "carries") || !open_array(objects[1], INT32, arrays + 1, "before") ||
        !open_array(objects[2], INT64, arrays + 2, "places"))
        goto done;
    if (bits < 0 || bits > 31 || arrays[1].n < 1) {
        refuse("blocks of no length, or none");
        goto done;
    }
    if (!(result = new_values(arrays[2].n, 8, (void **)&counts))) goto done;
    Carries carries = {
        .carries = VALUES(arrays[0], uint32_t), .before = VALUES(arrays[1], int32_t), .n_carries = arrays[0].n,
        .n_blocks = arrays[1].n - 1, .bits = bits};
    Py_BEGIN_ALLOW_THREADS
    is_counted = count(&carries, VALUES(arrays[2], int64_t), arrays[2].n, counts);
    Py_END_ALLOW_THREADS
    if (!is_counted) {
        refuse("places outside, or blocks of other carries");
        Py_DECREF(result);
        result = NULL;
    }
done:
    close_arrays(arrays, 3);
    return result;
}
