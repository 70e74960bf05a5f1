/* The rows of some documents in which terms occur. */
#ifndef FOXIR_TREE_ROWS_H
#define FOXIR_TREE_ROWS_H

#include "element_table.h"

/* The leaves that contain a term, ascending, and its frequencies. */
typedef struct {
    const int64_t *leaves, *tf;
    Py_ssize_t n;
} Postings;

/* Distinct rows, ascending, document by document. */
typedef struct {
    int64_t *rows;
    int32_t *row_of;          /* the place among the rows of each posting, term by term */
    Py_ssize_t *first_posting;  /* of each document and term, then the ends; shape (n_documents + 1, n_terms) */
    Py_ssize_t *first_row;    /* of each document, then the number of rows */
    SegmentTable **segments;  /* of each document */
    int64_t *roots, *ends;    /* of each document, its root, and one past its last row */
    Py_ssize_t n, n_postings;
    uint64_t *bits;      /* of one document: which of its rows have a term, 64 a number */
    int32_t *n_before;   /* how many of the rows precede each number */
    Py_ssize_t n_numbers;
} TreeRows;

/* Memory for the rows of all postings; false without it. Free it with `free_tree_rows` in any case. */
bool make_tree_rows(TreeRows *found, const Postings *terms, int n_terms, Py_ssize_t n_documents);
void free_tree_rows(TreeRows *found);

/* Find the segments of all documents, given their roots and one past the last row of each; an error, or NULL. */
const char *find_roots(
    const Table *table, const int64_t *roots, const int64_t *ends, Py_ssize_t n_documents, TreeRows *found);

/* Find the rows of the next document; an error, "" without memory, or NULL. */
const char *find_rows(const Postings *terms, int n_terms, Py_ssize_t document, TreeRows *found);

#endif
