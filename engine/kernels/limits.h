/* Memory and time of the query that runs in this thread (engine/query_limits.py sets them).

   Kernels take memory with these functions alone, and ask `is_over` in loops that may be long, with the work since they
   asked last: both say no where a limit would be exceeded, or the user interrupts. A kernel then gives back what it took, and
   returns `no_memory()`, which sets the error that fits. */
#ifndef FOXIR_LIMITS_H
#define FOXIR_LIMITS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* As malloc, calloc, realloc and free. */
void *take(size_t n_bytes);
void *take_zeroed(size_t n, size_t size);
void *retake(void *taken, size_t n_bytes);
void give_back(void *taken);

/* Whether so many bytes more may be taken. */
bool has_room_for(size_t n_bytes);

/* A new bytearray; NULL with an error set. */
PyObject *new_bytes(size_t n_bytes);

/* Let memory that was taken belong to an object, which gives it back with `give_back_owned` at any time. */
void disown(void *taken);
void give_back_owned(void *taken);

/* Units of work, about a nanosecond or a few each, that are left until the clock is read. */
#ifdef __ELF__ /* read without a call */
#define OF_THREAD _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define OF_THREAD _Thread_local
#endif
extern OF_THREAD int64_t work_left;
bool is_over_now(void);

static inline bool is_over(int64_t work) {
    return (work_left -= work) < 0 && is_over_now();
}

/* Of loops over many numbers: as `is_over`, asked at one in 4096 places, with the work of each. */
static inline bool is_over_at(int64_t at, int64_t work) {
    return !(at & 4095) && is_over(4096 * work);
}

/* Set bytes to 0; false where time is over. */
bool zeroed(void *values, size_t n_bytes);

/* Set the error for what could not be taken or did not end in time; return NULL. */
PyObject *no_memory(void);

#endif
