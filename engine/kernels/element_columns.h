/* Elements found in the table, and their columns as NumPy reads them. */
#ifndef FOXIR_ELEMENT_COLUMNS_H
#define FOXIR_ELEMENT_COLUMNS_H

#include "element_table.h"

/* Elements, ascending, with the place of the nearest one around each that is not inline; its own where none counts. */
typedef struct {
    Element *elements;
    int64_t *parents;
    uint8_t *are_roots;
    Py_ssize_t n, capacity;
} Elements;

/* Append the elements found from one place to another (exclusive), of one segment; an error, "" without memory, or NULL. */
const char *append_elements(
    const Table *table, SegmentTable *segment, const Found *found, Py_ssize_t first, Py_ssize_t end, Elements *out);
void free_elements(Elements *elements);

/* The columns of elements of some documents, with their neighbours and titles: what `find_context` returns; NULL with an
   error set. */
PyObject *columns_of(const Table *table, const Elements *elements, const int64_t *roots, Py_ssize_t n_roots);

#endif
