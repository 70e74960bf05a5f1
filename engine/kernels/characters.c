/* Where characters begin in UTF-8: counted in blocks of bytes once, then found by the count of their block.

   The reference is engine/text/utf8.py without kernels. */
#include "kernels.h"

#define EACH(byte) ((uint64_t)(byte) * 0x0101010101010101u)

static inline bool begins(uint8_t byte) { return (byte & 0xc0) != 0x80; }

/* How many of some bytes begin a character: all but those of which only the highest of two bits is set. */
static int64_t count_begins(const uint8_t *bytes, Py_ssize_t n) {
    int64_t continuing = 0;
    Py_ssize_t place = 0;
    while (n - place >= 8) {
        uint64_t of_each = 0;  /* at each place of eight, 255 at most */
        for (int time = 0; time < 255 && n - place >= 8; time++, place += 8) {
            uint64_t eight;
            memcpy(&eight, bytes + place, 8);
            of_each += eight >> 7 & ~(eight >> 6) & EACH(1);
        }
        of_each = (of_each & 0x00ff00ff00ff00ffu) + (of_each >> 8 & 0x00ff00ff00ff00ffu);
        continuing += (int64_t)(of_each * 0x0001000100010001u >> 48);
    }
    for (; place < n; place++) continuing += !begins(bytes[place]);
    return n - continuing;
}

PyObject *block_characters(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *object, *result = NULL;
    Array array = {0};
    Py_ssize_t block;
    int64_t *counts;
    if (!PyArg_ParseTuple(arguments, "On", &object, &block)) return NULL;
    if (!open_array(object, UINT8, &array, "text")) goto done;
    REFUSE_IF(block < 1, "blocks of no bytes");
    const uint8_t *bytes = VALUES(array, uint8_t);
    Py_ssize_t n_blocks = array.n / block + (array.n % block != 0);
    if (!(result = new_values(n_blocks + 1, 8, (void **)&counts))) goto done;
    Py_BEGIN_ALLOW_THREADS
    counts[0] = 0;
    for (Py_ssize_t number = 0; number < n_blocks; number++) {
        Py_ssize_t first = number * block, end = array.n - first < block ? array.n : first + block;
        counts[number + 1] = counts[number] + count_begins(bytes + first, end - first);
    }
    Py_END_ALLOW_THREADS
done:
    close_arrays(&array, 1);
    return result;
}

/* The byte at which a character begins, by the counts of blocks; the end of the bytes after the last character. */
static Py_ssize_t place_of(const uint8_t *bytes, Py_ssize_t n, const int64_t *counts, Py_ssize_t block, int64_t character) {
    Py_ssize_t n_blocks = n / block + (n % block != 0);
    if (counts[n_blocks] == n) return character < n ? (Py_ssize_t)character : n;  /* each character is a byte */
    Py_ssize_t number = lower_bound(counts, 0, n_blocks + 1, character + 1) - 1;
    if (number < 0 || number >= n_blocks) return n;
    int64_t left = character - counts[number];
    Py_ssize_t place = number * block;
    while (place < n && !(begins(bytes[place]) && left-- == 0)) place++;
    return place;
}

PyObject *character_places(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[3], *result = NULL;
    Array arrays[3] = {0};
    Py_ssize_t block;
    int64_t *places;
    if (!PyArg_ParseTuple(arguments, "OOnO", objects, objects + 1, &block, objects + 2)) return NULL;
    if (!open_array(objects[0], UINT8, arrays, "text") || !open_array(objects[1], INT64, arrays + 1, "counts") ||
        !open_array(objects[2], INT64, arrays + 2, "characters"))
        goto done;
    const uint8_t *bytes = VALUES(arrays[0], uint8_t);
    const int64_t *counts = VALUES(arrays[1], int64_t), *characters = VALUES(arrays[2], int64_t);
    Py_ssize_t n_bytes = arrays[0].n, n_blocks = arrays[1].n - 1;
    REFUSE_IF(block < 1 || n_blocks != n_bytes / block + (n_bytes % block != 0), "counts of other blocks");
    REFUSE_IF(!all_below(characters, arrays[2].n, INT64_MAX), "a character before the text");
    if (!(result = new_values(arrays[2].n, 8, (void **)&places))) goto done;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t at = 0; at < arrays[2].n; at++) places[at] = place_of(bytes, n_bytes, counts, block, characters[at]);
    Py_END_ALLOW_THREADS
done:
    close_arrays(arrays, 3);
    return result;
}

/* A text inside some bytes, and the counts of its blocks. */
typedef struct {
    Array bytes, counts;
    Py_ssize_t start, n;
} Text;

static bool open_text(PyObject *tuple, Py_ssize_t block, Text *text) {
    PyObject *bytes, *counts;
    Py_ssize_t end;
    if (!tuple || !PyArg_ParseTuple(tuple, "OnnO", &bytes, &text->start, &end, &counts)) return false;
    if (!open_array(bytes, UINT8, &text->bytes, "text") || !open_array(counts, INT64, &text->counts, "counts"))
        return false;
    text->n = end - text->start;
    if (text->start < 0 || end < text->start || end > text->bytes.n) return refuse("a text is not in its bytes");
    return text->counts.n == text->n / block + (text->n % block != 0) + 1 || refuse("counts of other blocks");
}

static PyObject *part_of(const Text *text, Py_ssize_t block, int64_t start, int64_t end) {
    const uint8_t *bytes = VALUES(text->bytes, uint8_t) + text->start;
    const int64_t *counts = VALUES(text->counts, int64_t);
    Py_ssize_t first = place_of(bytes, text->n, counts, block, start), last = place_of(bytes, text->n, counts, block, end);
    return PyUnicode_DecodeUTF8((const char *)bytes + first, last > first ? last - first : 0, "surrogatepass");
}

PyObject *text_parts(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *of_texts, *objects[2], *result = NULL;
    Array arrays[2] = {0};
    Text *texts = NULL;
    Py_ssize_t block, n_texts = 0;
    if (!PyArg_ParseTuple(arguments, "O!nOO", &PyList_Type, &of_texts, &block, objects, objects + 1)) return NULL;
    if (!open_array(objects[0], INT64, arrays, "texts") || !open_array(objects[1], INT64, arrays + 1, "spans")) goto done;
    n_texts = PyList_Size(of_texts);
    const int64_t *of_part = VALUES(arrays[0], int64_t), *spans = VALUES(arrays[1], int64_t);
    REFUSE_IF(
        block < 1 || arrays[1].n != 2 * arrays[0].n || !all_below(of_part, arrays[0].n, n_texts) ||
        !all_below(spans, arrays[1].n, INT64_MAX), "each part has a text, a start and an end");
    if (!(texts = zeroed_memory(n_texts, sizeof(Text)))) goto done;
    for (Py_ssize_t at = 0; at < n_texts; at++)
        if (!open_text(PyList_GetItem(of_texts, at), block, texts + at)) goto done;
    result = PyList_New(arrays[0].n);
    for (Py_ssize_t at = 0; result && at < arrays[0].n; at++) {
        PyObject *part = part_of(texts + of_part[at], block, spans[2 * at], spans[2 * at + 1]);
        if (!part || PyList_SetItem(result, at, part) < 0) Py_CLEAR(result);
    }
done:
    for (Py_ssize_t at = 0; texts && at < n_texts; at++) {
        close_arrays(&texts[at].bytes, 1);
        close_arrays(&texts[at].counts, 1);
    }
    give_back(texts);
    close_arrays(arrays, 2);
    return result;
}
