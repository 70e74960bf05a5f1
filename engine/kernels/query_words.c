/* The words of a query in texts, such as those of answers: found, and looked up among known spellings, in one pass.

   The reference is `term_spans` (engine/presentation/term_spans.py) without kernels. Words are runs of letters that end at
   borders; a text with other characters that are part of words, or with one that was not looked at yet, is left to it. */
#include "character_kinds.h"
#include "kernels.h"
#include "known_slices.h"

/* A word: its bytes, the number of its text, and its first character there and the one after its last. */
typedef struct {
    const uint8_t *bytes;
    int64_t length, text, start, end;
} Word;

/* Rows of whole numbers that grow. */
typedef struct {
    int64_t *values;
    Py_ssize_t n, room;
} Rows;

/* What is searched for, and what was found; columns: text, start, end and, of words of the query, their values. */
typedef struct {
    KnownSlices table;
    const uint8_t *kinds;
    const int64_t *wanted, *value;  /* numbers of known spellings, ascending, and what each is found for */
    Py_ssize_t n_wanted, n_seen;
    uint8_t *was_seen;
    Word words[TOGETHER];  /* those that are not looked up yet */
    Py_ssize_t n_words;
    Rows found, unknown;
    bool is_unusual;
} Search;

static bool add_row(Rows *rows, const int64_t *row, Py_ssize_t n) {
    if (rows->n + n > rows->room) {
        Py_ssize_t room = 2 * rows->room + 64;
        int64_t *values = retake(rows->values, (size_t)room * sizeof(int64_t));
        if (!values) return no_memory(), false;
        rows->values = values;
        rows->room = room;
    }
    memcpy(rows->values + rows->n, row, (size_t)n * sizeof(int64_t));
    rows->n += n;
    return true;
}

/* Look up the words that wait for it. */
static bool look_up(Search *search) {
    const uint8_t *slices[TOGETHER];
    int64_t lengths[TOGETHER], numbers[TOGETHER];
    for (Py_ssize_t at = 0; at < search->n_words; at++) {
        slices[at] = search->words[at].bytes;
        lengths[at] = search->words[at].length;
    }
    if (!find_numbers(&search->table, slices, lengths, search->n_words, numbers)) return refuse(OTHER_TABLE);
    for (Py_ssize_t at = 0; at < search->n_words; at++) {
        const Word *word = search->words + at;
        int64_t row[4] = {word->text, word->start, word->end, 0}, number = numbers[at];
        if (number < 0) {
            if (!add_row(&search->unknown, row, 3)) return false;
            continue;
        }
        if (number < search->n_seen) search->was_seen[number] = 1;
        Py_ssize_t place = lower_bound(search->wanted, 0, search->n_wanted, number);
        if (place == search->n_wanted || search->wanted[place] != number) continue;
        row[3] = search->value[place];
        if (!add_row(&search->found, row, 4)) return false;
    }
    search->n_words = 0;
    return true;
}

/* The character that begins at some byte of valid UTF-8, and the bytes of it. */
static inline uint32_t character(const uint8_t *bytes, Py_ssize_t left, Py_ssize_t *length) {
    uint32_t first = bytes[0];
    *length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (*length > left) *length = 1;
    if (*length == 1) return first;
    uint32_t code = first & (0x7fu >> *length);
    for (Py_ssize_t at = 1; at < *length; at++) code = code << 6 | (bytes[at] & 0x3fu);
    return code;
}

/* The place at which words end next, after `before` of them; none is INT64_MAX. An error is -1. */
static int64_t border_at(PyObject *borders, Py_ssize_t before, Py_ssize_t n) {
    if (before >= n) return INT64_MAX;
    PyObject *border = PySequence_GetItem(borders, before);
    if (!border) return -1;
    int64_t place = PyLong_AsLongLong(border);
    Py_DECREF(border);
    return PyErr_Occurred() ? -1 : place;
}

/* Find the words of a text, and look up all but the last ones. */
static bool find_words(Search *search, int64_t number, PyObject *text, PyObject *borders) {
    Py_ssize_t n, length, n_borders = PySequence_Size(borders), passed = 0;
    const uint8_t *bytes = (const uint8_t *)PyUnicode_AsUTF8AndSize(text, &n);
    if (!bytes && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {  /* a lone surrogate */
        PyErr_Clear();
        search->is_unusual = true;
        return true;
    }
    if (!bytes || n_borders < 0) return false;
    int64_t border = border_at(borders, 0, n_borders), place = 0;
    const uint8_t *begin = NULL;
    int64_t start = 0;
    if (border < 0) return PyErr_Occurred() ? false : refuse("a border before the text");
    for (Py_ssize_t at = 0;; at += length, place++) {
        uint8_t kind = OTHER;
        if (is_over_at(place, 8)) return no_memory(), false;
        length = 1;
        if (at < n) {
            uint32_t code = character(bytes + at, n - at, &length);
            kind = code < CODES ? search->kinds[code] : 0;
            if (kind != LETTER && kind != OTHER) {
                search->is_unusual = true;
                return true;
            }
        }
        if (begin && (kind == OTHER || place == border)) {
            search->words[search->n_words++] =
                (Word){.bytes = begin, .length = bytes + at - begin, .text = number, .start = start, .end = place};
            begin = NULL;
            if (search->n_words == TOGETHER && !look_up(search)) return false;
        }
        while (place == border) {
            int64_t next = border_at(borders, ++passed, n_borders);
            if (next < 0 && PyErr_Occurred()) return false;
            if (next < border) return refuse("borders are not ascending");
            border = next;
        }
        if (at >= n) return true;
        if (kind == LETTER && !begin) {
            begin = bytes + at;
            start = place;
        }
    }
}

static bool search_all(Search *search, PyObject *texts) {
    Py_ssize_t n = PyList_Size(texts);
    for (Py_ssize_t number = 0; number < n && !search->is_unusual; number++) {
        PyObject *searched = PyList_GetItem(texts, number), *text, *borders;
        if (!searched || !(text = PyTuple_GetItem(searched, 0)) || !(borders = PyTuple_GetItem(searched, 1)) ||
            !find_words(search, number, text, borders))
            return false;
    }
    return n >= 0 && (search->is_unusual || look_up(search));
}

static PyObject *values_of(const Rows *rows) {
    int64_t *values;
    PyObject *made = new_values(rows->n, 8, (void **)&values);
    if (made && rows->n) memcpy(values, rows->values, (size_t)rows->n * 8);
    return made;
}

PyObject *query_words(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[7], *seen, *texts, *result = NULL;
    Array arrays[7] = {0};
    Py_buffer written = {0};
    Search search = {0};
    unsigned long long seed;
    if (!PyArg_ParseTuple(arguments, "OOOOOOKOOO", &texts, objects, objects + 1, objects + 2, objects + 3, objects + 4,
                          &seed, objects + 5, objects + 6, &seen))
        return NULL;
    if (!open_array(objects[0], UINT8, arrays, "kinds") || !open_known(objects + 1, arrays + 1, seed, &search.table) ||
        !open_array(objects[5], INT64, arrays + 5, "wanted") || !open_array(objects[6], INT64, arrays + 6, "values"))
        goto done;
    REFUSE_IF(
        arrays[0].n != CODES || arrays[6].n != arrays[5].n,
        "each character has a kind, and each wanted number a value");
    if (PyObject_GetBuffer(seen, &written, PyBUF_CONTIG) < 0) goto done;
    search.kinds = VALUES(arrays[0], uint8_t);
    search.wanted = VALUES(arrays[5], int64_t);
    search.value = VALUES(arrays[6], int64_t);
    search.n_wanted = arrays[5].n;
    search.was_seen = written.buf;
    search.n_seen = written.len;
    if (!search_all(&search, texts)) goto done;
    if (search.is_unusual) {
        result = Py_NewRef(Py_None);
        goto done;
    }
    PyObject *found = values_of(&search.found), *unknown = values_of(&search.unknown);
    if (found && unknown) result = PyTuple_Pack(2, found, unknown);
    Py_XDECREF(found);
    Py_XDECREF(unknown);
done:
    give_back(search.found.values);
    give_back(search.unknown.values);
    if (written.obj) PyBuffer_Release(&written);
    close_arrays(arrays, 7);
    return result;
}
