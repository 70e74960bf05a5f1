/* The module `engine.kernels._native`. */
#include "kernels.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define ENTRY(name) {#name, name, METH_VARARGS, NULL},
static PyMethodDef functions[] = {
    KERNELS(ENTRY){NULL, NULL, 0, NULL},
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
