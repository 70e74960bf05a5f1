/* Elements found in the table, as the columns that NumPy reads. */
#ifndef FOXIR_ELEMENT_COLUMNS_H
#define FOXIR_ELEMENT_COLUMNS_H

#include "element_table.h"

/* Columns of elements, ascending, of documents with some roots; `parents`: the place of the nearest element around each
   that is not inline, its own where none counts. All zero but the roots until elements are appended. */
typedef struct {
    int64_t *rows, *ends, *words, *tags, *document, *parents;
    uint8_t *is_root, *heading_levels, *is_mostly_titles;
    Py_ssize_t n, capacity, n_roots;
    const int64_t *roots;
    int64_t next_document;  /* the first one of which no element was appended */
} Elements;

/* Append the elements found from one place to another (exclusive), of one segment; an error, "" without memory, or NULL. */
const char *append_elements(
    const Table *table, SegmentTable *segment, const Found *found, Py_ssize_t first, Py_ssize_t end, Elements *out);

/* The columns, with neighbours and titles: what `find_context` returns; NULL with an error set. They are freed here. */
PyObject *columns_of(const Table *table, Elements *elements);
void free_elements(Elements *elements);

/* Make room for so many elements, of which the first n stay; false without memory. */
bool make_room(Elements *elements, Py_ssize_t capacity);

#endif
