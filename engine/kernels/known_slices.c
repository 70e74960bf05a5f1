/* The numbers of those slices of a text, such as its words, that are among known ones: a hash table in an array.

   The reference is a dictionary from words to numbers. `slice_slots` makes the table, `known_slices` looks into it. */
#include "hashes.h"
#include "kernels.h"

/* Slices that are looked up together. */
#define TOGETHER 64

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

/* Open `bytes`, `begins` and `stops` from three objects on; the numbers are not checked yet. */
static bool open_slices(PyObject **objects, Array *arrays, Slices *slices) {
    if (!open_array(objects[0], UINT8, arrays, "bytes") || !open_array(objects[1], INT64, arrays + 1, "begins") ||
        !open_array(objects[2], INT64, arrays + 2, "stops"))
        return false;
    *slices = (Slices){.bytes = VALUES(arrays[0], uint8_t), .begins = VALUES(arrays[1], int64_t),
                       .stops = VALUES(arrays[2], int64_t), .n = arrays[1].n, .n_bytes = arrays[0].n};
    return (arrays[2].n == slices->n && slices->n < INT32_MAX) || refuse("as many slices end as begin");
}

static bool is_inside(const Slices *slices, Py_ssize_t place) {
    return slices->begins[place] >= 0 && slices->begins[place] <= slices->stops[place] &&
           slices->stops[place] <= slices->n_bytes;
}

static bool are_inside(const Slices *slices) {
    bool all = true;
    for (Py_ssize_t place = 0; place < slices->n; place++) all &= is_inside(slices, place);
    return all || refuse("a slice is not in the text");
}

static uint64_t hash_at(const Slices *slices, Py_ssize_t place, uint64_t seed) {
    int64_t begin = slices->begins[place];
    return hash_of_bytes(slices->bytes + begin, slices->stops[place] - begin, seed);
}

PyObject *slice_slots(PyObject *module, PyObject *arguments) {
    PyObject *objects[3], *result = NULL;
    Array arrays[3] = {0};
    Slices slices;
    Py_ssize_t n_slots;
    unsigned long long seed;
    int32_t *slots;
    if (!PyArg_ParseTuple(arguments, "OOOnK", objects, objects + 1, objects + 2, &n_slots, &seed)) return NULL;
    if (!open_slices(objects, arrays, &slices) || !are_inside(&slices)) goto done;
    if (n_slots <= slices.n || (n_slots & (n_slots - 1))) {
        refuse("slots are a power of two, and more than the slices");
        goto done;
    }
    if (!(result = new_values(n_slots, 4, (void **)&slots))) goto done;
    Py_BEGIN_ALLOW_THREADS
    memset(slots, 0, (size_t)n_slots * 4);
    for (Py_ssize_t place = 0; place < slices.n; place++) {
        uint64_t at = hash_at(&slices, place, seed) & (uint64_t)(n_slots - 1);
        while (slots[at]) at = (at + 1) & (uint64_t)(n_slots - 1);
        slots[at] = (int32_t)place + 1;
    }
    Py_END_ALLOW_THREADS
done:
    close_arrays(arrays, 3);
    return result;
}

/* The number of a slice among known ones, -1 if it is unknown, -2 if these are not in their bytes, or the table is of others. */
static int64_t number_of(const Slices *slices, Py_ssize_t place, const Slices *known, const Array *slots, uint64_t at) {
    const uint8_t *bytes = slices->bytes + slices->begins[place];
    int64_t length = slices->stops[place] - slices->begins[place];
    uint64_t last = (uint64_t)slots->n - 1;
    for (Py_ssize_t probe = 0; probe < slots->n; probe++, at++) {
        int32_t number = VALUES(*slots, int32_t)[at & last];
        if (number == 0) return -1;
        if (number < 0 || number > known->n || !is_inside(known, number - 1)) return -2;
        int64_t begin = known->begins[number - 1];
        if (known->stops[number - 1] - begin == length && memcmp(known->bytes + begin, bytes, (size_t)length) == 0)
            return number - 1;
    }
    return -1;
}

/* Find the numbers of some slices, at most TOGETHER; false if the table does not fit to the known ones.

   A large table is not in the processor's cache: what one slice needs of it is fetched while others are looked at. */
static bool find_numbers(const Slices *slices, Py_ssize_t first, Py_ssize_t end, const Slices *known, const Array *slots,
                         uint64_t seed, int64_t *numbers) {
    uint64_t hashes[TOGETHER], last = (uint64_t)slots->n - 1;
    const int32_t *slot = VALUES(*slots, int32_t);
    bool is_of_them = true;
    for (Py_ssize_t place = first; place < end; place++) {
        hashes[place - first] = hash_at(slices, place, seed);
        FETCH(slot + (hashes[place - first] & last));
    }
    for (Py_ssize_t place = first; place < end; place++) {
        int32_t number = slot[hashes[place - first] & last];
        if (number <= 0 || number > known->n) continue;
        FETCH(known->begins + number - 1);
        FETCH(known->stops + number - 1);
    }
    for (Py_ssize_t place = first; place < end; place++) {
        int32_t number = slot[hashes[place - first] & last];
        if (number > 0 && number <= known->n && is_inside(known, number - 1))
            FETCH(known->bytes + known->begins[number - 1]);
    }
    for (Py_ssize_t place = first; place < end; place++) {
        numbers[place] = number_of(slices, place, known, slots, hashes[place - first]);
        is_of_them &= numbers[place] > -2;
    }
    return is_of_them;
}

PyObject *known_slices(PyObject *module, PyObject *arguments) {
    PyObject *objects[7], *result = NULL;
    Array arrays[7] = {0};
    Slices slices, known;
    unsigned long long seed;
    int64_t *numbers;
    if (!PyArg_ParseTuple(arguments, "OOOOOOOK", objects, objects + 1, objects + 2, objects + 3, objects + 4,
                          objects + 5, objects + 6, &seed))
        return NULL;
    if (!open_slices(objects, arrays, &slices) || !are_inside(&slices) || !open_slices(objects + 3, arrays + 3, &known) ||
        !open_array(objects[6], INT32, arrays + 6, "slots"))
        goto done;
    if (!arrays[6].n || (arrays[6].n & (arrays[6].n - 1))) {
        refuse("slots are a power of two");
        goto done;
    }
    if (!(result = new_values(slices.n, 8, (void **)&numbers))) goto done;
    bool is_of_them = true;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t first = 0; first < slices.n; first += TOGETHER) {
        Py_ssize_t end = first + TOGETHER < slices.n ? first + TOGETHER : slices.n;
        is_of_them &= find_numbers(&slices, first, end, &known, arrays + 6, seed, numbers);
    }
    Py_END_ALLOW_THREADS
    if (!is_of_them) {
        refuse("the table does not fit to the known slices");
        Py_CLEAR(result);
    }
done:
    close_arrays(arrays, 7);
    return result;
}
