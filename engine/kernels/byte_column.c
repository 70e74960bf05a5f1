/* The large numbers of columns of mostly small ones: entries are asked for nearly in order, so the search begins where
   the last one was found. */
#include "byte_column.h"

bool open_byte_column(PyObject *const *objects, ByteColumn *column) {
    Array *arrays = column->arrays;
    if (!open_array(objects[0], UINT8, arrays, "bytes") || !open_any(objects[1], arrays + 1) ||
        !open_any(objects[2], arrays + 2))
        return false;
    column->small = arrays[0].values, column->n = arrays[0].n;
    return arrays[1].n == arrays[2].n || refuse("large numbers of other entries");
}

void close_byte_column(ByteColumn *column) {
    close_arrays(column->arrays, 3);
}

int64_t large_number(ByteColumn *column, int64_t entry) {
    const Array *entries = column->arrays + 1;
    Py_ssize_t n = entries->n, first = column->last < n ? column->last : 0, end = first, step = 1;
    if (!n) return -1;
    if ((int64_t)number_at(entries, first) > entry) {
        while (first > 0 && (int64_t)number_at(entries, first) > entry) end = first, first -= step, step *= 2;
        if (first < 0) first = 0;
    } else {
        while (end < n && (int64_t)number_at(entries, end) < entry) first = end, end += step, step *= 2;
        if (end >= n) end = n - 1;
    }
    while (first < end) {
        Py_ssize_t middle = first + (end - first) / 2;
        if ((int64_t)number_at(entries, middle) < entry) first = middle + 1;
        else end = middle;
    }
    if ((int64_t)number_at(entries, first) != entry) return -1;
    column->last = first;
    uint64_t number = number_at(column->arrays + 2, first);
    return number <= INT64_MAX ? (int64_t)number : -1;
}
