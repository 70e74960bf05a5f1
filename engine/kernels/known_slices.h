/* A hash table of known slices of bytes, such as words: which number a slice has among them. */
#ifndef FOXIR_KNOWN_SLICES_H
#define FOXIR_KNOWN_SLICES_H

#include "hashes.h"

/* Slices that are looked up together. */
#define TOGETHER 64

/* The error for a table made of other slices. */
#define OTHER_TABLE "the table does not fit to the known slices"

/* The arrays that a table is opened from. */
#define TABLE_ARRAYS 4

#if defined(__GNUC__)
#define FETCH(place) __builtin_prefetch(place)
#else
#define FETCH(place) ((void)(place))
#endif

/* Bytes, and the slices of them. */
typedef struct {
    const uint8_t *bytes;
    const int64_t *begins, *stops;
    Py_ssize_t n, n_bytes;
} Slices;

/* Known slices, and their slots: the number of a slice plus 1, 0 where there is none. */
typedef struct {
    Slices known;
    const int32_t *slots;
    uint64_t last, seed;  /* the number of the last slot */
} KnownSlices;

/* Open `bytes`, `begins` and `stops` from three objects on; the numbers are not checked yet. */
bool open_slices(PyObject **objects, Array *arrays, Slices *slices);

/* Open `bytes`, `begins`, `stops` and `slots` from four objects on. */
bool open_known(PyObject **objects, Array *arrays, uint64_t seed, KnownSlices *table);

static inline bool is_inside(const Slices *slices, Py_ssize_t place) {
    return slices->begins[place] >= 0 && slices->begins[place] <= slices->stops[place] &&
           slices->stops[place] <= slices->n_bytes;
}

/* Find the numbers of some slices, at most TOGETHER: -1 of an unknown one; false if the table is of others. */
bool find_numbers(const KnownSlices *table, const uint8_t **slices, const int64_t *lengths, Py_ssize_t n,
                  int64_t *numbers);

#endif
