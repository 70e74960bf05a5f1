/* Extracts of texts with most distinct words of a query, white space collapsed, and where the words are in them.

   The reference is `_extract` (engine/presentation/snippets.py). Places are numbers of characters. */
#include "character_kinds.h"
#include "kernels.h"

enum { ELLIPSIS = 0x2026 };

/* The columns of words in some text: start, end, what each is found for. */
typedef struct {
    const int64_t *start, *end, *value;
    Py_ssize_t n;
} Spans;

/* Memory that all extracts use, as long as the longest text. */
typedef struct {
    Py_UCS4 *text, *extract;
    int64_t *borders, *counts;
    Py_ssize_t n_text, n_borders, n_counts, room, border_room;
    const uint8_t *kinds;
    int64_t width;
} Work;

static bool is_space(Py_UCS4 code) {
    if (code < 0x80) return code == ' ' || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
    return code == 0x85 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
           code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

static bool is_opening(Py_UCS4 code) {
    return code == '(' || code == '[' || code == '{' || code == 0xab || code == 0x201c || code == 0x2018;
}

/* Whether the text before and after a border, which is inside the text, needs a blank. */
static bool runs_together(const Work *work, int64_t border) {
    Py_UCS4 before = work->text[border - 1], behind = work->text[border];
    bool begins = is_opening(behind) || (behind < CODES && work->kinds[behind] == LETTER);
    return begins && !is_space(before) && !is_opening(before);
}

static int64_t largest(int64_t one, int64_t other) { return one > other ? one : other; }

/* The last blank or end of a line from `first` to `end` (exclusive), -1 if there is none. */
static int64_t last_blank(const Py_UCS4 *text, int64_t first, int64_t end) {
    while (end > first)
        if (text[--end] == ' ' || text[end] == '\n') return end;
    return -1;
}

static bool is_blank(const Py_UCS4 *text, int64_t first, int64_t end) {
    while (first < end)
        if (!is_space(text[first++])) return false;
    return true;
}

/* Where the span begins from which on a width has most distinct values, of equals most spans. */
static int64_t best_start(const Work *work, Spans spans) {
    int64_t *inside = work->counts, n_inside = 0, most = 0, most_spans = 0, start = 0;
    Py_ssize_t reached = 0;
    memset(inside, 0, (size_t)work->n_counts * sizeof(int64_t));
    for (Py_ssize_t number = 0; number < spans.n; number++) {
        for (; reached < spans.n && spans.end[reached] <= spans.start[number] + work->width; reached++)
            n_inside += inside[spans.value[reached]]++ == 0;
        int64_t n_spans = reached - number;
        if (n_inside > most || (n_inside == most && n_spans > most_spans)) {
            most = n_inside;
            most_spans = n_spans;
            start = spans.start[number];
        }
        if (reached == number) reached++;  /* a word longer than the width */
        else n_inside -= --inside[spans.value[number]] == 0;
    }
    return start;
}

/* The number of borders that are less than a place, or not more. */
static Py_ssize_t borders_before(const Work *work, int64_t place, bool with_equal) {
    return lower_bound(work->borders, 0, work->n_borders, place + with_equal);
}

/* Put the characters from start to end into the extract, after what is there: white space collapsed, a blank at each
   gap, none at the beginning; add the spans there. Return the length of the extract. */
static Py_ssize_t fold(const Work *work, int64_t start, int64_t end, Py_ssize_t before, Spans spans, int64_t *marks,
                       Py_ssize_t *n_marks) {
    Py_UCS4 *extract = work->extract;
    Py_ssize_t n = before, border = borders_before(work, start, true), span = 0;
    *n_marks = 0;
    while (span < spans.n && spans.start[span] < start) span++;
    for (int64_t place = start; place < end; place++) {
        for (; border < work->n_borders && work->borders[border] == place; border++)
            if (runs_together(work, place)) extract[n++] = ' ';
        for (; span < spans.n && spans.start[span] == place; span++) {
            if (spans.end[span] > end) continue;
            marks[2 * *n_marks] = n;
            marks[2 * (*n_marks)++ + 1] = n + spans.end[span] - place;
        }
        Py_UCS4 code = work->text[place];
        if (!is_space(code)) extract[n++] = code;
        else if (n > before && extract[n - 1] != ' ') extract[n++] = ' ';
    }
    return n;
}

static PyObject *text_of(const Py_UCS4 *codes, Py_ssize_t n) {
    const uint16_t one = 1;
    int order = *(const uint8_t *)&one ? -1 : 1;  /* of the bytes of a number on this machine */
    return PyUnicode_DecodeUTF32((const char *)codes, n * (Py_ssize_t)sizeof(Py_UCS4), "surrogatepass", &order);
}

static PyObject *pairs_of(const int64_t *marks, Py_ssize_t n) {
    PyObject *pairs = PyTuple_New(n);
    for (Py_ssize_t at = 0; pairs && at < n; at++) {
        PyObject *pair = Py_BuildValue("(LL)", (long long)marks[2 * at], (long long)marks[2 * at + 1]);
        if (!pair || PyTuple_SetItem(pairs, at, pair) < 0) Py_CLEAR(pairs);
    }
    return pairs;
}

/* The extract of the text that is in the memory, and the places of words in it. */
static PyObject *extract_of(const Work *work, Spans spans, bool has_before, bool has_behind) {
    const Py_UCS4 *text = work->text;
    int64_t width = work->width, n = work->n_text, start = spans.n ? spans.start[0] : 0, blank;
    if (spans.n && spans.end[spans.n - 1] > start + width) start = best_start(work, spans);
    start = largest(0, start - width / 6);
    if (start) {
        int64_t far = start - width / 2;
        Py_ssize_t n_borders = borders_before(work, start, true);
        blank = last_blank(text, 0, start) + 1;
        start = blank > far ? blank : n_borders ? largest(far, work->borders[n_borders - 1]) : far;
    }
    int64_t end = start + width < n ? start + width : n;
    if (start + width < n) end = largest(last_blank(text, start, end), start + width / 2);
    Py_ssize_t n_extract = 0, before, n_marks;
    if (has_before || !is_blank(text, 0, start)) {
        work->extract[n_extract++] = ELLIPSIS;
        work->extract[n_extract++] = ' ';
    }
    before = n_extract;
    int64_t *marks = memory(2 * spans.n, sizeof(int64_t));
    if (!marks) return NULL;
    n_extract = fold(work, start, end, before, spans, marks, &n_marks);
    while (n_extract && work->extract[n_extract - 1] == ' ') n_extract--;
    if (has_behind || !is_blank(text, end, n)) {
        work->extract[n_extract++] = ' ';
        work->extract[n_extract++] = ELLIPSIS;
    }
    PyObject *folded = text_of(work->extract, n_extract), *pairs = pairs_of(marks, n_marks), *result = NULL;
    if (folded && pairs) result = PyTuple_Pack(2, folded, pairs);
    Py_XDECREF(folded);
    Py_XDECREF(pairs);
    give_back(marks);
    return result;
}

/* Read a text and its borders; these are ascending and inside it. */
static bool read_text(Work *work, PyObject *text, PyObject *borders) {
    Py_ssize_t n = PyUnicode_GetLength(text), n_borders = PySequence_Size(borders);
    if (n < 0 || n_borders < 0) return false;
    if (n + 1 > work->room) {
        work->room = 0;
        give_back(work->text);
        give_back(work->extract);
        work->text = memory(n + 1, sizeof(Py_UCS4));
        work->extract = memory(2 * n + 4, sizeof(Py_UCS4));  /* at most a blank at each character, and the ellipses */
        if (!work->text || !work->extract) return false;
        work->room = n + 1;
    }
    if (n_borders > work->border_room) {
        work->border_room = 0;
        give_back(work->borders);
        if (!(work->borders = memory(n_borders, sizeof(int64_t)))) return false;
        work->border_room = n_borders;
    }
    if (!PyUnicode_AsUCS4(text, work->text, n + 1, 1)) return false;
    work->n_text = n;
    work->n_borders = n_borders;
    for (Py_ssize_t at = 0; at < n_borders; at++) {
        PyObject *border = PySequence_GetItem(borders, at);
        if (!border) return false;
        int64_t place = work->borders[at] = PyLong_AsLongLong(border);
        Py_DECREF(border);
        if (PyErr_Occurred()) return false;
        if (place <= (at ? work->borders[at - 1] : 0) || place >= n) return refuse("borders are ascending, inside the text");
    }
    return true;
}

/* The words of a text among those of all texts: ascending, inside it, each before the next one. */
static bool spans_are_right(const Work *work, Spans spans) {
    int64_t last = 0;
    for (Py_ssize_t at = 0; at < spans.n; at++) {
        if (spans.start[at] < last || spans.end[at] <= spans.start[at] || spans.end[at] > work->n_text ||
            spans.value[at] < 0 || spans.value[at] >= work->n_counts)
            return refuse("words are ascending, inside the text, of values that exist");
        last = spans.end[at];
    }
    return true;
}

PyObject *extracts(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *texts, *objects[5], *result = NULL;
    Array arrays[5] = {0};
    Work work = {0};
    long long width;
    if (!PyArg_ParseTuple(arguments, "OOOOOOnL", &texts, objects, objects + 1, objects + 2, objects + 3, objects + 4,
                          &work.n_counts, &width))
        return NULL;
    static const char *const names[] = {"kinds", "texts", "starts", "ends", "values"};
    for (int number = 0; number < 5; number++)
        if (!open_array(objects[number], number ? INT64 : UINT8, arrays + number, names[number])) goto done;
    Py_ssize_t n_texts = PyList_Size(texts), n = arrays[1].n, first = 0;
    if (n_texts < 0) goto done;
    REFUSE_IF(
        arrays[0].n != CODES || arrays[2].n != n || arrays[3].n != n || arrays[4].n != n || width < 0 ||
        width > INT32_MAX || work.n_counts < 0,
        "each character has a kind, and each word a text, a start, an end and a value");
    work.kinds = VALUES(arrays[0], uint8_t);
    work.width = width;
    if (!(work.counts = memory(work.n_counts, sizeof(int64_t))) || !(result = PyList_New(n_texts))) goto done;
    for (Py_ssize_t number = 0; number < n_texts; number++) {
        PyObject *searched = PyList_GetItem(texts, number), *text, *borders, *continues, *made = NULL;
        Py_ssize_t end = lower_bound(VALUES(arrays[1], int64_t), first, n, number + 1);
        Spans spans = {VALUES(arrays[2], int64_t) + first, VALUES(arrays[3], int64_t) + first,
                       VALUES(arrays[4], int64_t) + first, end - first};
        first = end;
        if (searched && (text = PyTuple_GetItem(searched, 0)) && (borders = PyTuple_GetItem(searched, 1)) &&
            (continues = PyTuple_GetItem(searched, 2)) && read_text(&work, text, borders) &&
            spans_are_right(&work, spans)) {
            PyObject *before = PyTuple_GetItem(continues, 0), *behind = before ? PyTuple_GetItem(continues, 1) : NULL;
            if (behind) made = extract_of(&work, spans, PyObject_IsTrue(before) == 1, PyObject_IsTrue(behind) == 1);
        }
        if (!made || PyList_SetItem(result, number, made) < 0) {
            Py_CLEAR(result);
            goto done;
        }
    }
done:
    give_back(work.text);
    give_back(work.extract);
    give_back(work.borders);
    give_back(work.counts);
    close_arrays(arrays, 5);
    return result;
}
