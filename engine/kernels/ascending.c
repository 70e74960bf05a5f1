/* Ascending numbers (engine/columns/ascending_column.py). `carries_up_to`, high bits: how many carries there are up to
   each place; the reference is `np.searchsorted(carries, places, side="right")`. `ascending_ranks`: how many entries are
   less than each number; the reference is `np.searchsorted` over the numbers of all entries. */
#include "byte_column.h"
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

PyObject *carries_up_to(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[3], *result = NULL;
    Array arrays[3] = {0};
    int bits;
    int64_t *counts;
    bool is_counted;
    if (!PyArg_ParseTuple(arguments, "OOiO", objects, objects + 1, &bits, objects + 2)) return NULL;
    if (!open_array(objects[0], UINT32, arrays, "carries") || !open_array(objects[1], INT32, arrays + 1, "before") ||
        !open_array(objects[2], INT64, arrays + 2, "places"))
        goto done;
    REFUSE_IF(bits < 0 || bits > 31 || arrays[1].n < 1, "blocks of no length, or none");
    if (!(result = new_values(arrays[2].n, 8, (void **)&counts))) goto done;
    Carries carries = {
        .carries = VALUES(arrays[0], uint32_t), .before = VALUES(arrays[1], int32_t), .n_carries = arrays[0].n,
        .n_blocks = arrays[1].n - 1, .bits = bits};
    Py_BEGIN_ALLOW_THREADS
    is_counted = count(&carries, VALUES(arrays[2], int64_t), arrays[2].n, counts);
    Py_END_ALLOW_THREADS
    if (!is_counted) {
        refuse("places outside, or blocks of other carries");
        Py_CLEAR(result);
    }
done:
    close_arrays(arrays, 3);
    return result;
}

/* The number of entries before a carry; -1 where that is more than there are. */
static int64_t entries_before(const Array *carries, int64_t number, Py_ssize_t n) {
    if (number < 0) return 0;
    if (number >= carries->n) return n;
    uint64_t found = number_at(carries, number);
    return found <= (uint64_t)n ? (int64_t)found : -1;
}

PyObject *ascending_ranks(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[3], *result = NULL;
    Array arrays[3] = {0};
    int64_t *ranks;
    bool is_ranked = true;
    if (!PyArg_ParseTuple(arguments, "OOO", objects, objects + 1, objects + 2)) return NULL;
    if (!open_array(objects[0], UINT8, arrays, "bytes") || !open_any(objects[1], arrays + 1) ||
        !open_array(objects[2], INT64, arrays + 2, "numbers") || !(result = new_values(arrays[2].n, 8, (void **)&ranks)))
        goto done;
    const uint8_t *low = VALUES(arrays[0], uint8_t);
    const int64_t *numbers = VALUES(arrays[2], int64_t);
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t at = 0; at < arrays[2].n && is_ranked; at++) {
        int64_t above = numbers[at] >> 8, bits = numbers[at] & 255;
        int64_t first = entries_before(arrays + 1, above - 1, arrays[0].n);
        int64_t end = entries_before(arrays + 1, above, arrays[0].n);
        is_ranked = first >= 0 && end >= 0;
        while (is_ranked && first < end) {
            int64_t middle = first + (end - first) / 2;
            if (low[middle] < bits) first = middle + 1;
            else end = middle;
        }
        ranks[at] = first;
    }
    Py_END_ALLOW_THREADS
    if (!is_ranked) {
        refuse("carries of more entries");
        Py_CLEAR(result);
    }
done:
    close_arrays(arrays, 3);
    return result;
}
