/* Spans of elements in the texts of their documents, and where they end words inside the texts of answers.

   The references are `TextStore.spans_of` (engine/index/texts/text_store.py) and `word_borders`
   (engine/presentation/snippets.py) without kernels. */
#include "kernels.h"

/* Columns of 32 bits of a block: where its elements start and stop. */
typedef struct {
    Array starts, stops;
} Block;

static void close_blocks(Block *blocks, Py_ssize_t n) {
    for (Py_ssize_t at = 0; blocks && at < n; at++) {
        close_arrays(&blocks[at].starts, 1);
        close_arrays(&blocks[at].stops, 1);
    }
    give_back(blocks);
}

/* Open the columns of the blocks, which are tuples. */
static Block *open_blocks(PyObject *columns, Py_ssize_t n) {
    Block *blocks = zeroed_memory(n, sizeof(Block));
    for (Py_ssize_t at = 0; blocks && at < n; at++) {
        PyObject *pair = PyList_GetItem(columns, at);
        PyObject *starts = pair ? PyTuple_GetItem(pair, 0) : NULL, *stops = starts ? PyTuple_GetItem(pair, 1) : NULL;
        bool is_open = stops && open_array(starts, INT32, &blocks[at].starts, "starts") &&
                       open_array(stops, INT32, &blocks[at].stops, "stops");
        if (is_open && blocks[at].starts.n == blocks[at].stops.n) continue;
        if (is_open) refuse("each element of a block starts and stops");
        close_blocks(blocks, n);
        return NULL;
    }
    return blocks;
}

PyObject *spans_in_blocks(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[2], *columns, *result = NULL;
    Array arrays[2] = {0};
    Block *blocks = NULL;
    Py_ssize_t n_blocks = 0;
    int64_t *spans;
    if (!PyArg_ParseTuple(arguments, "OOO", objects, objects + 1, &columns)) return NULL;
    if (!open_array(objects[0], INT64, arrays, "rows") || !open_array(objects[1], INT64, arrays + 1, "first rows"))
        goto done;
    n_blocks = arrays[1].n;
    if (PyList_Size(columns) != n_blocks) {
        if (!PyErr_Occurred()) refuse("each block has a first row");
        goto done;
    }
    if (!(blocks = open_blocks(columns, n_blocks))) goto done;
    const int64_t *rows = VALUES(arrays[0], int64_t), *first_rows = VALUES(arrays[1], int64_t);
    REFUSE_IF(!all_below(rows, arrays[0].n, INT64_MAX), "a row before the elements");
    if (!(result = new_values(2 * arrays[0].n, 8, (void **)&spans))) goto done;
    for (Py_ssize_t at = 0; at < arrays[0].n; at++) {
        if (is_over(32)) {
            Py_CLEAR(result);
            no_memory();
            goto done;
        }
        Py_ssize_t block = lower_bound(first_rows, 0, n_blocks, rows[at] + 1) - 1;
        int64_t place = block < 0 ? -1 : rows[at] - first_rows[block];
        if (place < 0 || place >= blocks[block].starts.n) {
            refuse("a row in none of the blocks");
            Py_CLEAR(result);
            goto done;
        }
        spans[2 * at] = VALUES(blocks[block].starts, int32_t)[place];
        spans[2 * at + 1] = VALUES(blocks[block].stops, int32_t)[place];
    }
done:
    close_blocks(blocks, n_blocks);
    close_arrays(arrays, 2);
    return result;
}

static int ascending(const void *one, const void *other) {
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

static PyObject *distinct_of(int64_t *values, Py_ssize_t n) {
    qsort(values, (size_t)n, sizeof(int64_t), ascending);
    Py_ssize_t n_distinct = 0;
    for (Py_ssize_t at = 0; at < n; at++)
        if (!n_distinct || values[n_distinct - 1] != values[at]) values[n_distinct++] = values[at];
    PyObject *found = PyList_New(n_distinct);
    for (Py_ssize_t at = 0; found && at < n_distinct; at++) {
        PyObject *value = PyLong_FromLongLong(values[at]);
        if (!value || PyList_SetItem(found, at, value) < 0) Py_CLEAR(found);
    }
    return found;
}

PyObject *inner_borders(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[4], *result = NULL;
    Array arrays[4] = {0};
    int64_t *borders = NULL;
    if (!PyArg_ParseTuple(arguments, "OOOO", objects, objects + 1, objects + 2, objects + 3)) return NULL;
    if (!open_array(objects[0], INT64, arrays, "texts") || !open_array(objects[1], INT64, arrays + 1, "numbers") ||
        !open_array(objects[2], INT64, arrays + 2, "elements") || !open_array(objects[3], BOOL, arrays + 3, "ends"))
        goto done;
    const int64_t *texts = VALUES(arrays[0], int64_t), *numbers = VALUES(arrays[1], int64_t);
    const int64_t *elements = VALUES(arrays[2], int64_t);
    const uint8_t *end_words = VALUES(arrays[3], uint8_t);
    Py_ssize_t n_texts = arrays[1].n, n = arrays[3].n, first = 0;
    bool is_right = arrays[0].n == 2 * n_texts && arrays[2].n == 2 * n && all_below(numbers, n_texts, n + 1);
    int64_t sum = 0;
    for (Py_ssize_t at = 0; is_right && at < n_texts; at++) is_right = (sum += numbers[at]) <= n;
    REFUSE_IF(!is_right || sum != n, "each text has a start, an end and a number of elements, and so has each element");
    if (!(borders = memory(2 * n, sizeof(int64_t))) || !(result = PyList_New(n_texts))) goto done;
    for (Py_ssize_t at = 0; at < n_texts; first += (Py_ssize_t)numbers[at++]) {
        if (is_over(64 * numbers[at])) {
            Py_CLEAR(result);
            no_memory();
            break;
        }
        int64_t start = texts[2 * at], end = texts[2 * at + 1];
        Py_ssize_t n_borders = 0;
        for (Py_ssize_t element = first; element < first + numbers[at]; element++)
            for (Py_ssize_t edge = 2 * element; end_words[element] && edge < 2 * element + 2; edge++)
                if (elements[edge] > start && elements[edge] < end) borders[n_borders++] = elements[edge] - start;
        PyObject *found = distinct_of(borders, n_borders);
        if (!found || PyList_SetItem(result, at, found) < 0) {
            Py_CLEAR(result);
            break;
        }
    }
done:
    give_back(borders);
    close_arrays(arrays, 4);
    return result;
}
