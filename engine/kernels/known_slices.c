/* The numbers of those slices of a text, such as its words, that are among known ones: a hash table in an array.

   The reference is a dictionary from words to numbers. `slice_slots` makes the table, `known_slices` looks into it. */
#include "kernels.h"
#include "known_slices.h"

bool open_slices(PyObject **objects, Array *arrays, Slices *slices) {
    if (!open_array(objects[0], UINT8, arrays, "bytes") || !open_array(objects[1], INT64, arrays + 1, "begins") ||
        !open_array(objects[2], INT64, arrays + 2, "stops"))
        return false;
    *slices = (Slices){.bytes = VALUES(arrays[0], uint8_t), .begins = VALUES(arrays[1], int64_t),
                       .stops = VALUES(arrays[2], int64_t), .n = arrays[1].n, .n_bytes = arrays[0].n};
    return (arrays[2].n == slices->n && slices->n < INT32_MAX) || refuse("as many slices end as begin");
}

bool open_known(PyObject **objects, Array *arrays, uint64_t seed, KnownSlices *table) {
    *table = (KnownSlices){.seed = seed};
    if (!open_slices(objects, arrays, &table->known) || !open_array(objects[3], INT32, arrays + 3, "slots")) return false;
    Py_ssize_t n_slots = arrays[3].n;
    if (!n_slots || (n_slots & (n_slots - 1))) return refuse("slots are a power of two");
    table->slots = VALUES(arrays[3], int32_t);
    table->last = (uint64_t)n_slots - 1;
    return true;
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

PyObject *slice_slots(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[3], *result = NULL;
    Array arrays[3] = {0};
    Slices slices;
    Py_ssize_t n_slots;
    unsigned long long seed;
    int32_t *slots;
    if (!PyArg_ParseTuple(arguments, "OOOnK", objects, objects + 1, objects + 2, &n_slots, &seed)) return NULL;
    if (!open_slices(objects, arrays, &slices) || !are_inside(&slices)) goto done;
    REFUSE_IF(n_slots <= slices.n || (n_slots & (n_slots - 1)), "slots are a power of two, and more than the slices");
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
static int64_t number_of(const KnownSlices *table, const uint8_t *bytes, int64_t length, uint64_t at) {
    const Slices *known = &table->known;
    for (uint64_t probe = 0; probe <= table->last; probe++, at++) {
        int32_t number = table->slots[at & table->last];
        if (number == 0) return -1;
        if (number < 0 || number > known->n || !is_inside(known, number - 1)) return -2;
        int64_t begin = known->begins[number - 1];
        if (known->stops[number - 1] - begin == length && memcmp(known->bytes + begin, bytes, (size_t)length) == 0)
            return number - 1;
    }
    return -1;
}

/* A large table is not in the processor's cache: what one slice needs of it is fetched while others are looked at. */
bool find_numbers(const KnownSlices *table, const uint8_t **slices, const int64_t *lengths, Py_ssize_t n,
                  int64_t *numbers) {
    const Slices *known = &table->known;
    uint64_t hashes[TOGETHER];
    bool is_of_them = true;
    for (Py_ssize_t place = 0; place < n; place++) {
        hashes[place] = hash_of_bytes(slices[place], lengths[place], table->seed);
        FETCH(table->slots + (hashes[place] & table->last));
    }
    for (Py_ssize_t place = 0; place < n; place++) {
        int32_t number = table->slots[hashes[place] & table->last];
        if (number <= 0 || number > known->n) continue;
        FETCH(known->begins + number - 1);
        FETCH(known->stops + number - 1);
    }
    for (Py_ssize_t place = 0; place < n; place++) {
        int32_t number = table->slots[hashes[place] & table->last];
        if (number > 0 && number <= known->n && is_inside(known, number - 1))
            FETCH(known->bytes + known->begins[number - 1]);
    }
    for (Py_ssize_t place = 0; place < n; place++) {
        numbers[place] = number_of(table, slices[place], lengths[place], hashes[place]);
        is_of_them &= numbers[place] > -2;
    }
    return is_of_them;
}

PyObject *known_slices(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[3 + TABLE_ARRAYS], *result = NULL;
    Array arrays[3 + TABLE_ARRAYS] = {0};
    Slices slices;
    KnownSlices table;
    unsigned long long seed;
    int64_t *numbers;
    if (!PyArg_ParseTuple(arguments, "OOOOOOOK", objects, objects + 1, objects + 2, objects + 3, objects + 4,
                          objects + 5, objects + 6, &seed))
        return NULL;
    if (!open_slices(objects, arrays, &slices) || !are_inside(&slices) ||
        !open_known(objects + 3, arrays + 3, seed, &table) || !(result = new_values(slices.n, 8, (void **)&numbers)))
        goto done;
    bool is_of_them = true;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t first = 0; first < slices.n; first += TOGETHER) {
        const uint8_t *some[TOGETHER];
        int64_t lengths[TOGETHER];
        Py_ssize_t n = slices.n - first < TOGETHER ? slices.n - first : TOGETHER;
        for (Py_ssize_t place = 0; place < n; place++) {
            some[place] = slices.bytes + slices.begins[first + place];
            lengths[place] = slices.stops[first + place] - slices.begins[first + place];
        }
        is_of_them &= find_numbers(&table, some, lengths, n, numbers + first);
    }
    Py_END_ALLOW_THREADS
    if (!is_of_them) {
        refuse(OTHER_TABLE);
        Py_CLEAR(result);
    }
done:
    close_arrays(arrays, 3 + TABLE_ARRAYS);
    return result;
}
