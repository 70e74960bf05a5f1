/* Columns of mostly small numbers (engine/columns/byte_column.py). */
#ifndef FOXIR_BYTE_COLUMN_H
#define FOXIR_BYTE_COLUMN_H

#include "arrays.h"

enum { LARGE = 255 };

/* A byte of each entry, or LARGE and the number in a list of its own; `last` is where one was found in it last. */
typedef struct {
    const uint8_t *small;
    Array arrays[3];  /* the bytes, the entries with large numbers, and these numbers */
    Py_ssize_t n, last;
} ByteColumn;

/* Open three arrays; false with an error set. Close the column in any case. */
bool open_byte_column(PyObject *const *objects, ByteColumn *column);
void close_byte_column(ByteColumn *column);

/* A whole number of one of the unsigned types that columns have. */
static inline uint64_t number_at(const Array *array, Py_ssize_t place) {
    switch (array->view.itemsize) {
        case 1: return VALUES(*array, uint8_t)[place];
        case 2: return VALUES(*array, uint16_t)[place];
        case 4: return VALUES(*array, uint32_t)[place];
        default: return VALUES(*array, uint64_t)[place];
    }
}

/* The number of an entry that is stored as LARGE; -1 where the list has none. */
int64_t large_number(ByteColumn *column, int64_t entry);

/* The number of an entry, -1 where there is none. */
static inline int64_t byte_at(ByteColumn *column, int64_t entry) {
    uint8_t small = column->small[entry];
    return small < LARGE ? small : large_number(column, entry);
}

#endif
