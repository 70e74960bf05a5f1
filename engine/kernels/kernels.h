/* The functions of the module `engine.kernels._native`; _native.pyi says what they take and return. */
#ifndef FOXIR_KERNELS_H
#define FOXIR_KERNELS_H

#include "arrays.h"

/* To be increased when a function is added, or takes or returns something else; engine/kernels/__init__.py expects it. */
#define KERNELS_VERSION 24

PyObject *find_context(PyObject *module, PyObject *arguments);
PyObject *pairs_in(PyObject *module, PyObject *arguments);
PyObject *block_scores(PyObject *module, PyObject *arguments);
PyObject *heading_scores(PyObject *module, PyObject *arguments);
PyObject *inherited(PyObject *module, PyObject *arguments);
PyObject *best_neighbours(PyObject *module, PyObject *arguments);
PyObject *find_documents(PyObject *module, PyObject *arguments);
PyObject *best_by_bm25(PyObject *module, PyObject *arguments);
PyObject *find_leaves(PyObject *module, PyObject *arguments);
PyObject *read_leaves(PyObject *module, PyObject *arguments);
PyObject *best_apart(PyObject *module, PyObject *arguments);
PyObject *first_disjoint(PyObject *module, PyObject *arguments);
PyObject *stretch_scores(PyObject *module, PyObject *arguments);
PyObject *number_slices(PyObject *module, PyObject *arguments);
PyObject *find_elements(PyObject *module, PyObject *arguments);
PyObject *bordered_text(PyObject *module, PyObject *arguments);
PyObject *sibling_ordinals(PyObject *module, PyObject *arguments);
PyObject *invert_words(PyObject *module, PyObject *arguments);
PyObject *carries_up_to(PyObject *module, PyObject *arguments);
PyObject *ascending_ranks(PyObject *module, PyObject *arguments);
PyObject *ranks_of(PyObject *module, PyObject *arguments);
PyObject *slice_slots(PyObject *module, PyObject *arguments);
PyObject *count_elements(PyObject *module, PyObject *arguments);
PyObject *known_slices(PyObject *module, PyObject *arguments);
PyObject *block_characters(PyObject *module, PyObject *arguments);
PyObject *character_places(PyObject *module, PyObject *arguments);
PyObject *text_parts(PyObject *module, PyObject *arguments);
PyObject *ancestors_or_self(PyObject *module, PyObject *arguments);
PyObject *spans_in_blocks(PyObject *module, PyObject *arguments);
PyObject *inner_borders(PyObject *module, PyObject *arguments);
PyObject *query_words(PyObject *module, PyObject *arguments);
PyObject *count_runs(PyObject *module, PyObject *arguments);
PyObject *pixel_colours(PyObject *module, PyObject *arguments);
PyObject *texture_energies(PyObject *module, PyObject *arguments);

#endif
