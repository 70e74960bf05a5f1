/* Elements of the table that are or contain some rows, with the columns that scores read: one pass in document order.

   The reference is `context_of` (engine/ranking/scoring/context.py) without this kernel. */
#include "element_columns.h"
#include "kernels.h"

static const char *find_all(const Table *table, Found *found, const int64_t *rows, Py_ssize_t n_rows) {
    SegmentTable *segment = table->segments;
    for (Py_ssize_t at = 0; at < n_rows; at++) {
        Py_ssize_t unit;
        if (is_over(16)) return "";
        if (at && rows[at] <= rows[at - 1]) return "rows are not ascending";
        if (!(segment = segment_of(table, segment, rows[at]))) return "a row is in no segment";
        const char *error = add_with_ancestors(table, segment, found, rows[at], &unit);
        if (error) return error;
    }
    return NULL;
}

static PyObject *columns_of_found(const Table *table, const Found *found, const int64_t *roots, Py_ssize_t n_roots) {
    Elements elements = {.roots = roots, .n_roots = n_roots};
    SegmentTable *segment = table->segments;
    const char *error = NULL;
    PyObject *result = NULL;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t first = 0, end; !error && first < found->n; first = end) {
        segment = segment_of(table, segment, found->rows[first]);
        end = lower_bound(found->rows, first, found->n, segment->base + segment->n);
        error = append_elements(table, segment, found, first, end, &elements);
    }
    Py_END_ALLOW_THREADS
    if (error && !*error) no_memory();
    else if (error) refuse(error);
    else result = columns_of(table, &elements);
    free_elements(&elements);
    return result;
}

PyObject *find_context(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *segments, *mask, *objects[3], *result = NULL;
    Array arrays[3] = {0};
    Table table = {0};
    Found found = {0};
    if (!PyArg_ParseTuple(arguments, "OOOOO", &segments, &mask, objects, objects + 1, objects + 2)) return NULL;
    if (!open_table(segments, mask, &table) || !open_array(objects[0], INT64, arrays, "rows") ||
        !open_array(objects[1], INT64, arrays + 1, "inline") || !open_array(objects[2], INT64, arrays + 2, "roots"))
        goto done;
    table.inline_rows = VALUES(arrays[1], int64_t), table.n_inline = arrays[1].n;
    const char *error;
    Py_BEGIN_ALLOW_THREADS
    error = find_all(&table, &found, VALUES(arrays[0], int64_t), arrays[0].n);
    Py_END_ALLOW_THREADS
    if (error && !*error) no_memory();
    else if (error) refuse(error);
    else result = columns_of_found(&table, &found, VALUES(arrays[2], int64_t), arrays[2].n);
done:
    free_found(&found);
    close_arrays(arrays, 3);
    close_table(&table);
    return result;
}
