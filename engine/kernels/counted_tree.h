/* Elements of the table with the terms in them, between `count_in_tree`, `weigh_in_tree` and `best_in_tree`. */
#ifndef FOXIR_COUNTED_TREE_H
#define FOXIR_COUNTED_TREE_H

#include "element_table.h"

/* Columns of n elements, ascending by row, and of the pairs of an element and a term in it. */
typedef struct {
    Element *elements;
    int32_t *document;          /* places among the documents */
    int32_t *parents;           /* places; of the element itself where nothing is inherited */
    int32_t *behind;            /* the place of the neighbour after each, -1 without one */
    int64_t *first_pair;        /* of each element, then the number of pairs */
    bool *is_root;
    int32_t *term;              /* of pairs, ascending in each element */
    int64_t *tf;
    Py_ssize_t *first_element;  /* of each document, then the number of elements */
    Py_ssize_t n, capacity, n_pairs, capacity_of_pairs, n_documents;
    int n_terms;
} CountedTree;

/* What weights of the terms make of such elements: columns of n elements. */
typedef struct {
    PyObject *counted;           /* the object of the elements, of which this owns a reference */
    double *sums, *of_headings;  /* of the parts of the terms; of the weights of the terms in headings */
    int64_t *shares;             /* the number of the share of the query that each contains */
    Py_ssize_t n_shares;
} WeighedTree;

/* Make room for so many elements and pairs, where there is less; what is there stays. False without memory. */
bool has_room_for(CountedTree *counted, Py_ssize_t n, Py_ssize_t n_pairs);
void free_counted_tree(CountedTree *counted);

/* Memory for the columns of n elements; false with an error set. */
bool make_weighed_tree(WeighedTree *weighed, PyObject *counted, Py_ssize_t n);
void free_weighed_tree(WeighedTree *weighed);

/* A new object that owns such columns; NULL with an error set. What it does not own is still to be freed. */
PyObject *counted_tree_object(CountedTree *counted);
PyObject *weighed_tree_object(WeighedTree *weighed);

/* The columns of such an object, which do not change; NULL with an error set for any other object. */
const CountedTree *counted_tree_of(PyObject *object);
const WeighedTree *weighed_tree_of(PyObject *object);

#endif
