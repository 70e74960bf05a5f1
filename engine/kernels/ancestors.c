/* Elements and those around them; the reference is `with_ancestors` (engine/index/elements/containment.py). */
#include "kernels.h"

enum { LARGE = 255 };  /* engine/columns/byte_column.py */

/* How far before each element its parent is: a byte, or LARGE and the number in a list of its own. */
typedef struct {
    const uint8_t *small;
    Array large_places, large;
    Py_ssize_t n;
} Distances;

/* Elements, ascending, and the places of their parents among them. */
typedef struct {
    int64_t *rows, *parents;
    Py_ssize_t n, room;
} Found;

/* A whole number of one of the unsigned types that columns have. */
static uint64_t number_at(const Array *array, Py_ssize_t place) {
    switch (array->view.itemsize) {
        case 1: return VALUES(*array, uint8_t)[place];
        case 2: return VALUES(*array, uint16_t)[place];
        case 4: return VALUES(*array, uint32_t)[place];
        default: return VALUES(*array, uint64_t)[place];
    }
}

/* The parent of an element; -1 where the columns do not say one that is at or before it. */
static int64_t parent_of(const Distances *d, int64_t row) {
    uint64_t distance = d->small[row];
    if (distance == LARGE) {
        Py_ssize_t first = 0, end = d->large_places.n;
        while (first < end) {
            Py_ssize_t middle = first + (end - first) / 2;
            if (number_at(&d->large_places, middle) < (uint64_t)row) first = middle + 1;
            else end = middle;
        }
        if (first == d->large_places.n || number_at(&d->large_places, first) != (uint64_t)row) return -1;
        distance = number_at(&d->large, first);
    }
    return distance <= (uint64_t)row ? row - (int64_t)distance : -1;
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
static bool add(const Distances *d, int64_t row, int64_t before, Found *found) {
    Py_ssize_t first = found->n;
    int64_t above = row;
    do {
        if (!has_room(found)) return false;
        if (is_over(4)) return no_memory(), false;
        row = above;
        found->rows[found->n++] = row;
        if ((above = parent_of(d, row)) < 0) return refuse("parent.npy: an element has no parent");
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
    Array arrays[2] = {0};
    Distances d = {0};
    Found found = {0};
    if (!PyArg_ParseTuple(arguments, "OOOO", objects, objects + 1, objects + 2, objects + 3)) return NULL;
    if (!open_array(objects[0], UINT8, arrays, "distances") || !open_any(objects[1], &d.large_places) ||
        !open_any(objects[2], &d.large) || !open_array(objects[3], INT64, arrays + 1, "rows"))
        goto done;
    d.small = VALUES(arrays[0], uint8_t);
    d.n = arrays[0].n;
    const int64_t *given = VALUES(arrays[1], int64_t);
    if (d.large_places.n != d.large.n || !all_below(given, arrays[1].n, d.n)) {
        refuse("a row that is not an element, or large distances of other places");
        goto done;
    }
    for (Py_ssize_t at = 0; at < arrays[1].n; at++) {
        if (at && given[at] <= given[at - 1]) {
            refuse("rows are not ascending");
            goto done;
        }
        if (!add(&d, given[at], at ? given[at - 1] : -1, &found)) goto done;
    }
    rows = column_of(found.rows, found.n);
    parents = column_of(found.parents, found.n);
    if (rows && parents) result = PyTuple_Pack(2, rows, parents);
done:
    Py_XDECREF(rows);
    Py_XDECREF(parents);
    give_back(found.rows);
    give_back(found.parents);
    close_arrays(arrays, 2);
    close_arrays(&d.large_places, 1);
    close_arrays(&d.large, 1);
    return result;
}
