/* The functions of the module `engine.kernels._native`; _native.pyi says what they take and return. */
#ifndef FOXIR_KERNELS_H
#define FOXIR_KERNELS_H

#include "arrays.h"

/* To be increased when a function is added, or takes or returns something else; engine/kernels/__init__.py expects it. */
#define KERNELS_VERSION 25

/* Every kernel: a function of the module, the tuple of its arguments as Python gives them. */
#define KERNELS(each) \
    each(set_limits) \
    each(find_context) \
    each(pairs_in) \
    each(block_scores) \
    each(heading_scores) \
    each(inherited) \
    each(best_neighbours) \
    each(find_documents) \
    each(best_by_bm25) \
    each(find_leaves) \
    each(stretch_scores) \
    each(best_apart) \
    each(first_disjoint) \
    each(number_slices) \
    each(find_elements) \
    each(bordered_text) \
    each(sibling_ordinals) \
    each(invert_words) \
    each(carries_up_to) \
    each(ascending_ranks) \
    each(ranks_of) \
    each(slice_slots) \
    each(count_elements) \
    each(known_slices) \
    each(block_characters) \
    each(character_places) \
    each(text_parts) \
    each(ancestors_or_self) \
    each(spans_in_blocks) \
    each(inner_borders) \
    each(query_words) \
    each(count_runs) \
    each(pixel_colours) \
    each(texture_energies)

#define DECLARED(name) PyObject *name(PyObject *module, PyObject *arguments);
KERNELS(DECLARED)

#endif
