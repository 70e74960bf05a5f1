/* The number of runs of some ASCII characters in a text, such as its words; eight bytes at a time, one per byte of a word.

   The reference is `count_words` (engine/text/words.py) without kernels. */
#include "kernels.h"

#define EACH(byte) ((uint64_t)(byte) * 0x0101010101010101u)
#define MOST_RANGES 3

/* What is added to a byte below 0x80, so that its highest bit says whether it is at least the first of a range, and
   whether it is above the last; nothing is in a range of zeros. */
typedef struct {
    uint64_t from, beyond;
} Range;

/* Eight bytes, the first one lowest, on any machine. */
static inline uint64_t eight_bytes(const uint8_t *bytes) {
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24 |
           (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 | (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

static inline uint64_t is_inside(uint64_t eight, Range range) { return (eight + range.from) & ~(eight + range.beyond); }

/* The number of runs; -1 if a byte is not ASCII. */
static int64_t runs_in(const uint8_t *bytes, Py_ssize_t n, const Range *ranges) {
    const Range one = ranges[0], two = ranges[1], three = ranges[2];
    uint64_t any = 0, before = 0;
    int64_t count = 0;
    for (Py_ssize_t place = 0; place < n; place += 8) {
        uint64_t eight, valid = EACH(0x80);
        if (place + 8 <= n) {
            eight = eight_bytes(bytes + place);
        } else {
            uint8_t last[8] = {0};
            memcpy(last, bytes + place, (size_t)(n - place));
            eight = eight_bytes(last);
            valid >>= 8 * (place + 8 - n);
        }
        uint64_t inside = (is_inside(eight, one) | is_inside(eight, two) | is_inside(eight, three)) & valid;
        uint64_t begin = inside & ~(inside << 8 | before);
        count += (int64_t)((begin >> 7) * EACH(1) >> 56);
        before = inside >> 56;
        any |= eight;
    }
    return any & EACH(0x80) ? -1 : count;
}

PyObject *count_runs(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[3];
    Array arrays[3] = {0};
    Range ranges[MOST_RANGES] = {0};
    int64_t count = 0;
    bool is_right = false;
    if (!PyArg_ParseTuple(arguments, "OOO", objects, objects + 1, objects + 2)) return NULL;
    if (!open_array(objects[0], UINT8, arrays, "text") || !open_array(objects[1], UINT8, arrays + 1, "first") ||
        !open_array(objects[2], UINT8, arrays + 2, "last"))
        goto done;
    REFUSE_IF(
        arrays[1].n > MOST_RANGES || arrays[2].n != arrays[1].n,
        "each of at most three ranges has a first and a last character");
    for (Py_ssize_t range = 0; range < arrays[1].n; range++) {
        uint8_t first = VALUES(arrays[1], uint8_t)[range], last = VALUES(arrays[2], uint8_t)[range];
        REFUSE_IF(first > last || last >= 0x80, "a range is of ASCII characters");
        ranges[range] = (Range){.from = EACH(0x80 - first), .beyond = EACH(0x7f - last)};
    }
    is_right = true;
    Py_BEGIN_ALLOW_THREADS
    count = runs_in(VALUES(arrays[0], uint8_t), arrays[0].n, ranges);
    Py_END_ALLOW_THREADS
done:
    close_arrays(arrays, 3);
    return is_right ? PyLong_FromLongLong(count) : NULL;
}
