/* The tree of elements that are long enough to be scored (engine/index/elements/element_trees.py), and elements found in it. */
#ifndef FOXIR_TREE_H
#define FOXIR_TREE_H

#include "arrays.h"

/* One element of a tree, as `ENTRY` of engine/index/elements/element_trees.py lays it out. */
typedef struct {
    int32_t row, end, words, following, tag;
    uint16_t depth;
    uint8_t is_lower, heading_levels, is_mostly_titles;
} Entry;

typedef struct {
    const Entry *entries;
    const uint64_t *are_here;
    const int32_t *n_before;
    const int32_t *above;  /* of the entries, close together: who climbs does not wait for the memory of these */
    Py_ssize_t n, n_numbers;
} Tree;

/* The elements found so far, ascending: their places in the tree, and those of their parents among them. */
typedef struct {
    int64_t *places, *parents;
    Py_ssize_t n, capacity;
} Found;

/* Open the columns of a tree, N_TREE_COLUMNS arrays; false with an error set. */
enum { N_TREE_COLUMNS = 4 };

bool open_tree_columns(PyObject *const *objects, Array *arrays, Tree *tree);

/* The bits that are set, without an instruction that old processors lack. */
static inline int n_bits(uint64_t bits) {
    bits -= (bits >> 1) & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)((bits * 0x0101010101010101u) >> 56);
}

/* The place of the last element of the tree that begins at a row or before it; -1 where there is none.

   What is read of it next is asked of the memory now: it is far slower than the processor. */
static inline int64_t last_begun(const Tree *tree, int64_t row) {
    int64_t number = row >> 6;
    if (row < 0 || number >= tree->n_numbers) return -1;
    uint64_t up_to = UINT64_MAX >> (63 - (row & 63));
    int64_t place = (int64_t)tree->n_before[number] + n_bits(tree->are_here[number] & up_to) - 1;
    if (place < 0 || place >= tree->n) return -1;
    __builtin_prefetch(tree->entries + place);
    __builtin_prefetch(tree->above + place);
    if (place > 1) __builtin_prefetch(tree->entries + place - 2);  /* what is around it is often before it */
    return place;
}

/* Add an element and those around it that were not found yet; an error, "" without memory, or NULL. */
const char *add_with_ancestors(const Tree *tree, Found *found, int64_t lowest);

#endif
