/* The element table of an index (engine/index/elements/element_table.py) under a mask, and elements found in it. */
#ifndef FOXIR_ELEMENT_TABLE_H
#define FOXIR_ELEMENT_TABLE_H

#include "byte_column.h"

/* The columns of one segment; rows in these count from its first one. */
typedef struct {
    int64_t base, n;  /* the row of its first element in the index, and how many it has */
    Array tag_numbers, tags, kinds;
    ByteColumn parents, extents, words;
} SegmentTable;

/* Which elements count, as `TableMask` says, with some inline ones, ascending, that are asked for by name. */
typedef struct {
    SegmentTable *segments;
    Py_ssize_t n_segments;
    double min_words, neighbour_words;
    int with_headings, with_header_rows;
    const int64_t *inline_rows;
    Py_ssize_t n_inline;
    int least_byte;  /* the least byte of `words` that says that there are enough; more than LARGE if no byte does */
} Table;

/* One element: one past the last row of its subtree, and the words of that; the number of its tag; how
   many elements up is that which it is a heading of, 0 for none; whether it is mostly titles. */
typedef struct {
    int64_t end;
    int32_t words, tag;
    uint8_t heading_levels, is_mostly_titles;
} Element;

/* The rows found so far, ascending, with the place of the nearest one around each (a root is its own), and whether the
   nearest element around it that is not inline does not count. */
typedef struct {
    int64_t *rows, *parents;
    uint8_t *are_lower;
    Py_ssize_t n, capacity;
} Found;

/* Open the segments of a table, a list of tuples as `Elements.table` returns them, and its mask, a tuple; false with an
   error set. Close the table in any case. */
bool open_table(PyObject *segments, PyObject *mask, Table *table);
void close_table(Table *table);

/* The segment of a row, from one segment on; NULL where there is none. */
SegmentTable *segment_of(const Table *table, SegmentTable *from, int64_t row);

/* Ask the memory, which is far slower than the processor, for what climbing from an element reads. */
static inline void prefetch_climb(const SegmentTable *segment, int64_t local) {
    __builtin_prefetch(segment->parents.small + local);
    __builtin_prefetch(VALUES(segment->kinds, uint8_t) + local);
    __builtin_prefetch(segment->words.small + local);
}

/* One past the last row of a subtree; -1 where the columns do not say one. */
int64_t end_of(SegmentTable *segment, int64_t row);

/* Add the row of an element and those around it that count, unless they were found; rows are given in ascending order.

   `unit` becomes the place of the lowest one that is or contains it. An error, "" without memory, or NULL. */
const char *add_with_ancestors(const Table *table, SegmentTable *segment, Found *found, int64_t row, Py_ssize_t *unit);

/* Read the element of a row of a segment; an error, or NULL. */
const char *read_element(const Table *table, SegmentTable *segment, int64_t row, Element *element);
bool is_inline(const SegmentTable *segment, int64_t row);
void free_found(Found *found);

#endif
