/* Elements and those around them; the reference is `with_ancestors` (engine/index/elements/containment.py). */
#include "byte_column.h"
#include "kernels.h"

/* Elements, ascending, and the places of their parents among them. */
typedef struct {
    int64_t *rows, *parents;
    Py_ssize_t n, room;
} Found;

/* The parent of an element, given how far before each its parent is; -1 where that is none at or before it. */
static int64_t parent_of(ByteColumn *distances, int64_t row) {
    int64_t distance = byte_at(distances, row);
    return distance >= 0 && distance <= row ? row - distance : -1;
}

static bool has_room(Found *found) {
    if (found->n < found->room) return true;
    Py_ssize_t room = 2 * found->room + 256;
    int64_t *rows = retake(found->rows, (size_t)room * sizeof(int64_t));
    if (rows) found->rows = rows;
    int64_t *parents = rows ? retake(found->parents, (size_t)room * sizeof(int64_t)) : NULL;
    if (!parents) return no_memory(), false;
    found->parents = parents;
    found->room = room;
    return true;
}

/* Add an element and those around it that begin after `before`: the others contain that, and have been found from it. */
static bool add(ByteColumn *distances, int64_t row, int64_t before, Found *found) {
    Py_ssize_t first = found->n;
    int64_t above = row;
    do {
        if (!has_room(found)) return false;
        if (is_over(4)) return no_memory(), false;
        row = above;
        found->rows[found->n++] = row;
        if ((above = parent_of(distances, row)) < 0) return refuse("parent.npy: an element has no parent");
    } while (above != row && above > before);
    for (Py_ssize_t low = first, high = found->n - 1; low < high; low++, high--) {
        int64_t swapped = found->rows[low];
        found->rows[low] = found->rows[high];
        found->rows[high] = swapped;
    }
    for (Py_ssize_t at = first; at < found->n; at++) found->parents[at] = at - 1;
    found->parents[first] = above == row ? first : lower_bound(found->rows, 0, first, above);
    if (found->rows[found->parents[first]] != above) return refuse("parent.npy: subtrees overlap");
    return true;
}

static PyObject *column_of(const int64_t *values, Py_ssize_t n) {
    int64_t *copied;
    PyObject *made = new_values(n, 8, (void **)&copied);
    if (made && n) memcpy(copied, values, (size_t)n * sizeof(int64_t));
    return made;
}

PyObject *ancestors_or_self(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[4], *rows = NULL, *parents = NULL, *result = NULL;
    Array of_rows = {0};
    ByteColumn distances = {0};
    Found found = {0};
    if (!PyArg_ParseTuple(arguments, "OOOO", objects, objects + 1, objects + 2, objects + 3)) return NULL;
    if (!open_byte_column(objects, &distances) || !open_array(objects[3], INT64, &of_rows, "rows")) goto done;
    const int64_t *given = VALUES(of_rows, int64_t);
    REFUSE_IF(!all_below(given, of_rows.n, distances.n), "a row that is not an element");
    for (Py_ssize_t at = 0; at < of_rows.n; at++) {
        REFUSE_IF(at && given[at] <= given[at - 1], "rows are not ascending");
        if (!add(&distances, given[at], at ? given[at - 1] : -1, &found)) goto done;
    }
    rows = column_of(found.rows, found.n);
    parents = column_of(found.parents, found.n);
    if (rows && parents) result = PyTuple_Pack(2, rows, parents);
done:
    Py_XDECREF(rows);
    Py_XDECREF(parents);
    give_back(found.rows);
    give_back(found.parents);
    close_arrays(&of_rows, 1);
    close_byte_column(&distances);
    return result;
}
