/* Numbers of the distinct slices of a text, such as its words: a hash table with open addressing.

   The reference is `number_slices` (engine/text/vocabulary.py) without this kernel. Hashes depend on a seed that whoever
   wrote the text does not know, so that no text can be made whose words all have the same one. */
#include "hashes.h"
#include "kernels.h"

#define FIRST_SLOTS 1024

/* A number that is taken: most slices are compared without looking at others' bytes. */
typedef struct {
    uint64_t head;  /* the first eight bytes of the slice, 0 after its end */
    uint32_t length;
    uint32_t number;  /* that of the slice, plus 1; 0 in an empty slot */
} Slot;

typedef struct {
    const uint8_t *bytes;
    Py_ssize_t n_bytes;
    const int64_t *begins, *stops;
    uint64_t seed, masks[9];  /* masks: of the first bytes of eight, so many */
    Slot *slots;
    uint64_t n_slots;  /* a power of two */
    uint64_t *hashes;  /* of each distinct slice; as many as half of the slots */
    int64_t *examples;
    uint32_t n;
} Table;

/* Eight bytes of a slice from a place on, 0 after its end. */
static uint64_t eight_at(const Table *table, int64_t at, int64_t stop) {
    uint64_t eight = 0;
    int64_t length = stop - at < 8 ? stop - at : 8;
    if (at + 8 <= table->n_bytes) {
        memcpy(&eight, table->bytes + at, 8);
        return eight & table->masks[length];
    }
    memcpy(&eight, table->bytes + at, (size_t)length);
    return eight;
}

static uint64_t hash_of(const Table *table, uint64_t head, int64_t begin, int64_t stop) {
    uint64_t hash = folded(table->seed ^ head, 0x9e3779b97f4a7c15u ^ (uint64_t)(stop - begin) << 32);
    for (int64_t at = begin + 8; at < stop; at += 8)
        hash = folded(hash ^ eight_at(table, at, stop), 0xd6e8feb86659fd93u);
    return hash;
}

static void put(Slot *slots, uint64_t n_slots, uint64_t hash, Slot taken) {
    uint64_t at = hash & (n_slots - 1);
    while (slots[at].number) at = (at + 1) & (n_slots - 1);
    slots[at] = taken;
}

/* Make room for twice as many distinct slices, or for the first ones; false without memory. */
static bool grow(Table *table) {
    uint64_t n_slots = table->n_slots ? 2 * table->n_slots : FIRST_SLOTS;
    Slot *slots = take_zeroed(n_slots, sizeof(Slot));
    uint64_t *hashes = retake(table->hashes, n_slots / 2 * sizeof(uint64_t));
    if (hashes) table->hashes = hashes;
    int64_t *examples = retake(table->examples, n_slots / 2 * sizeof(int64_t));
    if (examples) table->examples = examples;
    if (!slots || !hashes || !examples) {
        give_back(slots);
        return false;
    }
    for (uint64_t at = 0; at < table->n_slots; at++) {
        Slot taken = table->slots[at];
        if (taken.number) put(slots, n_slots, hashes[taken.number - 1], taken);
    }
    give_back(table->slots);
    table->slots = slots, table->n_slots = n_slots;
    return true;
}

/* Find the number of a slice, a new one for one that is not there yet; false without memory. */
static bool find(Table *table, Py_ssize_t place, int64_t *number) {
    int64_t begin = table->begins[place], stop = table->stops[place], length = stop - begin;
    uint64_t head = eight_at(table, begin, stop), hash = hash_of(table, head, begin, stop);
    const Slot *slots = table->slots;
    for (uint64_t at = hash & (table->n_slots - 1); slots[at].number; at = (at + 1) & (table->n_slots - 1)) {
        if (slots[at].head != head || slots[at].length != (uint32_t)length) continue;
        uint32_t known = slots[at].number - 1;
        const uint8_t *example = table->bytes + table->begins[table->examples[known]];
        if (length <= 8 || memcmp(example + 8, table->bytes + begin + 8, (size_t)length - 8) == 0) {
            *number = known;
            return true;
        }
    }
    *number = table->n;
    table->hashes[table->n] = hash, table->examples[table->n] = place;
    put(table->slots, table->n_slots, hash, (Slot){head, (uint32_t)length, ++table->n});
    return table->n < table->n_slots / 2 || grow(table);
}

static bool fits(const Array *bytes, const Array *begins, const Array *stops) {
    if (begins->n != stops->n || begins->n >= INT32_MAX) return refuse("as many slices end as begin");
    bool are_inside = true;
    for (Py_ssize_t place = 0; place < begins->n; place++) {
        int64_t begin = VALUES(*begins, int64_t)[place], stop = VALUES(*stops, int64_t)[place];
        are_inside &= begin >= 0 && begin <= stop && stop <= bytes->n && stop - begin <= UINT32_MAX;
    }
    return are_inside || refuse("a slice is not in the text");
}

PyObject *number_slices(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[3], *numbers = NULL, *examples = NULL, *result = NULL;
    Array arrays[3] = {0};
    unsigned long long seed;
    if (!PyArg_ParseTuple(arguments, "OOOK", objects, objects + 1, objects + 2, &seed)) return NULL;
    Table table = {.seed = seed};
    int64_t *number, *example;
    if (!open_array(objects[0], UINT8, arrays, "bytes") || !open_array(objects[1], INT64, arrays + 1, "begins") ||
        !open_array(objects[2], INT64, arrays + 2, "stops") || !fits(arrays, arrays + 1, arrays + 2) ||
        !(numbers = new_values(arrays[1].n, 8, (void **)&number)))
        goto done;
    table.bytes = VALUES(arrays[0], uint8_t), table.n_bytes = arrays[0].n;
    for (int length = 1; length < 9; length++) memset(table.masks + length, 0xff, (size_t)length);
    table.begins = VALUES(arrays[1], int64_t), table.stops = VALUES(arrays[2], int64_t);
    bool has_memory;
    Py_BEGIN_ALLOW_THREADS
    has_memory = grow(&table);
    for (Py_ssize_t place = 0; has_memory && place < arrays[1].n; place++)
        has_memory = find(&table, place, number + place);
    Py_END_ALLOW_THREADS
    if (!has_memory) {
        no_memory();
        goto done;
    }
    if (!(examples = new_values(table.n, 8, (void **)&example))) goto done;
    memcpy(example, table.examples, table.n * sizeof(int64_t));
    result = Py_BuildValue("OO", numbers, examples);
done:
    give_back(table.slots);
    give_back(table.hashes);
    give_back(table.examples);
    Py_XDECREF(numbers);
    Py_XDECREF(examples);
    close_arrays(arrays, 3);
    return result;
}
