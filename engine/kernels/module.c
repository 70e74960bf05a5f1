/* The module `engine.kernels._native`. */
#include "kernels.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

static PyMethodDef functions[] = {
    {"set_limits", set_limits, METH_VARARGS, NULL},
    {"find_context", find_context, METH_VARARGS, NULL},
    {"pairs_in", pairs_in, METH_VARARGS, NULL},
    {"block_scores", block_scores, METH_VARARGS, NULL},
    {"heading_scores", heading_scores, METH_VARARGS, NULL},
    {"inherited", inherited, METH_VARARGS, NULL},
    {"best_neighbours", best_neighbours, METH_VARARGS, NULL},
    {"find_documents", find_documents, METH_VARARGS, NULL},
    {"best_by_bm25", best_by_bm25, METH_VARARGS, NULL},
    {"find_leaves", find_leaves, METH_VARARGS, NULL},
    {"read_leaves", read_leaves, METH_VARARGS, NULL},
    {"stretch_scores", stretch_scores, METH_VARARGS, NULL},
    {"best_apart", best_apart, METH_VARARGS, NULL},
    {"first_disjoint", first_disjoint, METH_VARARGS, NULL},
    {"number_slices", number_slices, METH_VARARGS, NULL},
    {"find_elements", find_elements, METH_VARARGS, NULL},
    {"bordered_text", bordered_text, METH_VARARGS, NULL},
    {"sibling_ordinals", sibling_ordinals, METH_VARARGS, NULL},
    {"invert_words", invert_words, METH_VARARGS, NULL},
    {"carries_up_to", carries_up_to, METH_VARARGS, NULL},
    {"ascending_ranks", ascending_ranks, METH_VARARGS, NULL},
    {"ranks_of", ranks_of, METH_VARARGS, NULL},
    {"slice_slots", slice_slots, METH_VARARGS, NULL},
    {"count_elements", count_elements, METH_VARARGS, NULL},
    {"known_slices", known_slices, METH_VARARGS, NULL},
    {"block_characters", block_characters, METH_VARARGS, NULL},
    {"character_places", character_places, METH_VARARGS, NULL},
    {"text_parts", text_parts, METH_VARARGS, NULL},
    {"ancestors_or_self", ancestors_or_self, METH_VARARGS, NULL},
    {"spans_in_blocks", spans_in_blocks, METH_VARARGS, NULL},
    {"inner_borders", inner_borders, METH_VARARGS, NULL},
    {"query_words", query_words, METH_VARARGS, NULL},
    {"count_runs", count_runs, METH_VARARGS, NULL},
    {"pixel_colours", pixel_colours, METH_VARARGS, NULL},
    {"texture_energies", texture_energies, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static int add_version(PyObject *module) { return PyModule_AddIntConstant(module, "VERSION", KERNELS_VERSION); }

/* Each search needs the memory again that the last one freed: keeping it costs less than having it cleared again. */
static int keep_memory(PyObject *Py_UNUSED(module)) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, add_version}, {Py_mod_exec, keep_memory}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "engine.kernels._native", NULL, 0, functions, slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&definition); }
