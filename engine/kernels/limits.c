#include "limits.h"  /* not arrays.h, whose names windows.h has, too */

#include <string.h>
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <time.h>
#endif

/* Work between two looks at the clock: a fraction of a millisecond. Seconds between two looks at signals. */
enum { WORK = 1 << 16 };
#define BETWEEN_SIGNALS 0.05

/* Bytes that are set to 0 between two looks at the clock. */
enum { AT_ONCE = 1 << 20 };

/* Bytes in front of each memory that is taken, of which the first ones say how many follow. */
enum { HEAD = 16 };

typedef enum { WITHIN, OUT_OF_MEMORY, OUT_OF_TIME } State;

OF_THREAD int64_t work_left;
static OF_THREAD int64_t bytes_left = -1, bytes_taken;  /* that may be taken, -1 for any number; that are */
static OF_THREAD double deadline, signals_at;           /* in seconds of the monotonic clock; 0 for none */
static OF_THREAD State state;
static PyObject *raise_exceeded;                            /* called with the name of the limit, raises its error */

/* By the clock of Python's time.monotonic. */
static double seconds(void) {
#ifdef _WIN32
    if (Py_Version < 0x030d0000) return 1e-3 * (double)GetTickCount64();
    LARGE_INTEGER ticks, in_a_second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&in_a_second);
    return (double)ticks.QuadPart / (double)in_a_second.QuadPart;
#else
    struct timespec now;
#ifdef __APPLE__
    clock_gettime(CLOCK_UPTIME_RAW, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

bool has_room_for(size_t n_bytes) {
    if (bytes_left < 0 || (n_bytes <= INT64_MAX / 2 && bytes_taken + (int64_t)n_bytes <= bytes_left)) return true;
    return false;
}

static bool reserved(size_t n_bytes) {
    if (has_room_for(n_bytes)) return true;
    state = OUT_OF_MEMORY;
    return false;
}

static int64_t size_of(const void *taken) { return ((const int64_t *)((const char *)taken - HEAD))[0]; }

static void *noted(char *memory, size_t n_bytes) {
    if (!memory) return NULL;
    ((int64_t *)memory)[0] = (int64_t)n_bytes;
    bytes_taken += (int64_t)n_bytes;
    return memory + HEAD;
}

void *take(size_t n_bytes) {
    if (n_bytes > PTRDIFF_MAX - HEAD || !reserved(n_bytes)) return NULL;
    return noted(malloc(n_bytes + HEAD), n_bytes);
}

void *take_zeroed(size_t n, size_t size) {
    if (size && n > (PTRDIFF_MAX - HEAD) / size) return NULL;
    if (!reserved(n * size)) return NULL;
    return noted(calloc(n * size + HEAD, 1), n * size);
}

void *retake(void *taken, size_t n_bytes) {
    if (!taken) return take(n_bytes);
    int64_t before = size_of(taken);
    if (n_bytes > PTRDIFF_MAX - HEAD) return NULL;
    /* What is moved is there twice meanwhile. */
    if (n_bytes > (size_t)before && !reserved(n_bytes)) return NULL;
    char *memory = realloc((char *)taken - HEAD, n_bytes + HEAD);
    if (memory) bytes_taken -= before;
    return noted(memory, n_bytes);
}

void give_back(void *taken) {
    if (!taken) return;
    bytes_taken -= size_of(taken);
    free((char *)taken - HEAD);
}

void disown(void *taken) {
    if (taken) bytes_taken -= size_of(taken);
}

void give_back_owned(void *taken) {
    if (taken) free((char *)taken - HEAD);
}

bool is_over_now(void) {
    work_left = WORK;
    if (state != WITHIN) return true;
    double now = seconds();
    if (deadline > 0 && now > deadline) {
        state = OUT_OF_TIME;
        return true;
    }
    if (now < signals_at) return false;
    bool is_first = signals_at == 0;
    signals_at = now + BETWEEN_SIGNALS;
    if (is_first) return false;
    PyGILState_STATE gil = PyGILState_Ensure();
    bool is_interrupted = PyErr_CheckSignals() < 0;
    PyGILState_Release(gil);
    return is_interrupted;
}

bool zeroed(void *values, size_t n_bytes) {
    for (size_t at = 0; at < n_bytes; at += AT_ONCE) {
        size_t n = n_bytes - at < AT_ONCE ? n_bytes - at : AT_ONCE;
        if (is_over((int64_t)(n / 8))) return false;
        memset((char *)values + at, 0, n);
    }
    return true;
}

PyObject *new_bytes(size_t n_bytes) {
    return reserved(n_bytes) ? PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)n_bytes) : no_memory();
}

PyObject *no_memory(void) {
    State exceeded = state;
    state = WITHIN;
    if (PyErr_Occurred()) return NULL;
    if (exceeded == WITHIN || !raise_exceeded) return PyErr_NoMemory();
    PyObject *result = PyObject_CallFunction(raise_exceeded, "s", exceeded == OUT_OF_MEMORY ? "memory" : "time");
    Py_XDECREF(result);
    return result ? PyErr_NoMemory() : NULL;
}

/* Arguments: bytes that may be taken, -1 for any number; seconds of the monotonic clock, 0 for none; what raises. */
PyObject *set_limits(PyObject *Py_UNUSED(module), PyObject *arguments) {
    long long bytes;
    double until;
    PyObject *raises;
    if (!PyArg_ParseTuple(arguments, "LdO", &bytes, &until, &raises)) return NULL;
    bytes_left = bytes, bytes_taken = 0, deadline = until, state = WITHIN, work_left = 0;
    if (raises != raise_exceeded) {
        Py_INCREF(raises);
        Py_XDECREF(raise_exceeded);
        raise_exceeded = raises;
    }
    Py_RETURN_NONE;
}
