/* Arrays that kernels read and make: buffers of Python objects, checked once, then plain C.

   A kernel opens its arguments with `open_array`, checks their lengths and indices, computes without the GIL, and
   returns bytearrays or memory of its own, which NumPy reads without a copy. Nothing of an index is trusted: a number that does not fit is a
   ValueError. Only the limited API of Python 3.11 is used, so that one binary serves all later versions. */
#ifndef FOXIR_ARRAYS_H
#define FOXIR_ARRAYS_H

#include "limits.h"  /* first, as it says which Python.h */

#include <string.h>

/* Values of one type without gaps: those of an object, or a copy where the object has gaps; all zero until opened. */
typedef struct {
    Py_buffer view;
    const void *values;
    void *copy;
    Py_ssize_t n;
} Array;

/* What an argument has to contain: the letters that Python's struct module has for it, and the bytes of a value. */
typedef struct {
    const char *letters;
    Py_ssize_t size;
} Type;

extern const Type INT64, INT32, UINT64, UINT16, UINT8, BOOL, FLOAT64;

bool open_array(PyObject *object, Type type, Array *array, const char *name);
bool open_any(PyObject *object, Array *array);
void close_arrays(Array *arrays, int n);

/* A new bytearray of so many values, and where they are; NULL with an error set. Values are not initialised. */
PyObject *new_values(Py_ssize_t n, Py_ssize_t size, void **values);

/* An object with so many bytes of memory from `take`, which it gives back, also where it is NULL with an error set; NumPy reads
   and writes them without a copy. */
PyObject *owned(void *values, Py_ssize_t n_bytes);

/* Memory of so many values, 1 at least; NULL with an error set. Return it with `give_back`. */
void *memory(Py_ssize_t n, size_t size);
void *zeroed_memory(Py_ssize_t n, size_t size);

/* Set a ValueError, return false. */
bool refuse(const char *message);

/* Where a condition holds, set a ValueError and go to the end of the function, `done`. */
#define REFUSE_IF(condition, message) \
    if (condition) { \
        refuse(message); \
        goto done; \
    }

/* Whether all values are at least 0 and less than `limit`. */
bool all_below(const int64_t *values, Py_ssize_t n, int64_t limit);

/* The first place from `first` to `end` (exclusive) whose value is at least `wanted`, `end` without one. */
Py_ssize_t lower_bound(const int64_t *values, Py_ssize_t first, Py_ssize_t end, int64_t wanted);

#define VALUES(array, type) ((const type *)(array).values)

#endif
