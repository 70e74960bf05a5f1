/* List filtering of scored candidates, and the first of a sorted list. */
#ifndef FOXIR_SELECTION_H
#define FOXIR_SELECTION_H

#include "arrays.h"

/* Elements as intervals of rows, ascending, nested or disjoint. */
typedef struct {
    const int64_t *begins, *ends, *articles;
    const double *scores;
    Py_ssize_t n;
} Candidates;

/* Find the places of the best candidates without overlap, best first; return how many, -1 where time is over (limits.h).

   There is room for n values in `places`, which receives them, and in `best_inside` and `around`. */
Py_ssize_t first_apart(const Candidates *c, int64_t *places, double *best_inside, int64_t *around, Py_ssize_t n_first);

/* Likewise, move the places of the first candidates in order to the front, sorted. Ends are not read. */
Py_ssize_t first_in_order(const Candidates *c, int64_t *places, Py_ssize_t n, Py_ssize_t n_first);

#endif
