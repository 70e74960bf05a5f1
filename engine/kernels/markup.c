/* The elements and the text of canonical markup, where every '<' opens a tag and every '>' closes one.

   The references are `find_tags`, `local_names`, `parents_and_depths` and `ordinals` (engine/collection/markup/markup_tree.py)
   and `find_text` (engine/collection/markup/markup_tree.py) without these kernels. */
#include "kernels.h"

static const uint8_t *next_byte(const uint8_t *from, const uint8_t *end, int byte) {
    const uint8_t *found = memchr(from, byte, (size_t)(end - from));
    return found ? found : end;
}

/* Whether a byte ends the name in a tag. */
static bool ends_name(uint8_t byte) {
    return byte == '>' || byte == ' ' || byte == '/' || byte == '\n' || byte == '\t' || byte == '\r';
}

/* Columns of tags, then of elements, each of them int64. */
enum { OPENS, CLOSES, ELEMENTS, STARTS, ENDS, NAMES_END, LASTS, PARENTS, DEPTHS, N_COLUMNS };

/* Fill the columns; false where tags do not match, or are not as many as there is room for. `open`: of the elements. */
static bool find_all(
    const uint8_t *markup, Py_ssize_t size, int64_t *const *columns, int64_t *open, Py_ssize_t n_expected
) {
    const uint8_t *end = markup + size, *place = next_byte(markup, end, '<');
    int64_t n_tags = 0, n_elements = 0, depth = 0;
    for (; place < end; n_tags++) {
        const uint8_t *close = next_byte(place, end, '>');
        if (close == end || close < place + 2) return false;
        columns[OPENS][n_tags] = place - markup;
        columns[CLOSES][n_tags] = close - markup;
        if (place[1] == '/') {
            if (!depth) return false;
            int64_t element = open[--depth];
            columns[ENDS][element] = n_tags;
            columns[LASTS][element] = n_elements;
        } else {
            const uint8_t *name = place + 2;
            while (!ends_name(*name)) name++;
            columns[STARTS][n_elements] = n_tags;
            columns[NAMES_END][n_elements] = name - markup;
            columns[PARENTS][n_elements] = depth ? open[depth - 1] : n_elements;
            columns[DEPTHS][n_elements] = depth + 1;
            if (close[-1] == '/') {
                columns[ENDS][n_elements] = n_tags;
                columns[LASTS][n_elements] = n_elements + 1;
            } else open[depth++] = n_elements;
            n_elements++;
        }
        columns[ELEMENTS][n_tags] = n_elements - 1;
        place = next_byte(close, end, '<');
    }
    return !depth && n_tags == n_expected;
}

PyObject *find_elements(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *object, *result = NULL, *made[N_COLUMNS] = {0};
    Array markup = {0};
    int64_t *columns[N_COLUMNS], *open = NULL;
    if (!PyArg_ParseTuple(arguments, "O", &object) || !open_array(object, UINT8, &markup, "markup")) goto done;
    const uint8_t *bytes = markup.values;
    Py_ssize_t n_tags = 0, n_ends = 0;
    bool is_whole;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t place = 0; place + 1 < markup.n; place++) {
        n_tags += bytes[place] == '<';
        n_ends += (bytes[place] == '<') & (bytes[place + 1] == '/');
    }
    Py_END_ALLOW_THREADS
    for (int number = 0; number < N_COLUMNS; number++) {
        void *values;
        Py_ssize_t n = number < STARTS ? n_tags : n_tags - n_ends;
        if (!(made[number] = new_values(n, sizeof(int64_t), &values))) goto done;
        columns[number] = values;
    }
    if (!(open = memory(n_tags - n_ends, sizeof(int64_t)))) goto done;
    Py_BEGIN_ALLOW_THREADS
    is_whole = !(markup.n && bytes[markup.n - 1] == '<') && find_all(bytes, markup.n, columns, open, n_tags);
    Py_END_ALLOW_THREADS
    REFUSE_IF(!is_whole, "tags of the markup do not match");
    if (!(result = PyTuple_New(N_COLUMNS))) goto done;
    for (int number = 0; number < N_COLUMNS; number++) {
        PyTuple_SetItem(result, number, made[number]);
        made[number] = NULL;
    }
done:
    for (int number = 0; number < N_COLUMNS; number++) Py_XDECREF(made[number]);
    give_back(open);
    close_arrays(&markup, 1);
    return result;
}

/* Where an escape begins with this byte, what it stands for; 0 for none. The length of its spelling is in `length`. */
static uint8_t unescaped(const uint8_t *place, const uint8_t *end, Py_ssize_t *length) {
    uint8_t second = place + 1 < end ? place[1] : 0;
    *length = second == 'l' || second == 'g' ? 4 : 5;
    if (end - place < *length) return 0;
    return second == 'l' ? '<' : second == 'g' ? '>' : second == 'a' ? '&' : second == '#' ? '\r' : 0;
}

/* Write the text between tags, and a border for each tag; return its bytes. */
static Py_ssize_t write_text(
    const uint8_t *markup, const uint8_t *end, const int64_t *opens, const int64_t *closes, Py_ssize_t n_tags,
    uint8_t *text, int64_t *borders, uint8_t border
) {
    uint8_t *written = text;
    for (Py_ssize_t tag = 0; tag <= n_tags; tag++) {
        const uint8_t *place = tag ? markup + closes[tag - 1] + 1 : markup;
        const uint8_t *stop = tag < n_tags ? markup + opens[tag] : end;
        while (place < stop) {
            const uint8_t *escape = next_byte(place, stop, '&');
            memcpy(written, place, (size_t)(escape - place));
            written += escape - place;
            if ((place = escape) == stop) break;
            Py_ssize_t length;
            uint8_t character = unescaped(place, stop, &length);
            *written++ = character ? character : '&';
            place += character ? length : 1;
        }
        if (tag == n_tags) break;
        borders[tag] = written - text;
        *written++ = border;
    }
    return written - text;
}

PyObject *bordered_text(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[3], *result = NULL, *made_text = NULL, *made_borders = NULL;
    Array arrays[3] = {0};
    int border;
    void *text, *borders;
    if (!PyArg_ParseTuple(arguments, "OOOi", objects, objects + 1, objects + 2, &border)) return NULL;
    if (!open_array(objects[0], UINT8, arrays, "markup")) goto done;
    if (!open_array(objects[1], INT64, arrays + 1, "opens")) goto done;
    if (!open_array(objects[2], INT64, arrays + 2, "closes")) goto done;
    const uint8_t *markup = arrays[0].values;
    const int64_t *opens = VALUES(arrays[1], int64_t), *closes = VALUES(arrays[2], int64_t);
    Py_ssize_t n_tags = arrays[1].n, size;
    bool is_apart = arrays[2].n == n_tags;
    for (Py_ssize_t tag = 0; is_apart && tag < n_tags; tag++)
        is_apart = opens[tag] > (tag ? closes[tag - 1] : -1) && closes[tag] > opens[tag] && closes[tag] < arrays[0].n;
    REFUSE_IF(!is_apart, "tags are not apart in the markup");
    if (!(made_text = new_values(arrays[0].n, 1, &text))) goto done;
    if (!(made_borders = new_values(n_tags, sizeof(int64_t), &borders))) goto done;
    Py_BEGIN_ALLOW_THREADS
    size = write_text(markup, markup + arrays[0].n, opens, closes, n_tags, text, borders, (uint8_t)border);
    Py_END_ALLOW_THREADS
    if (PyByteArray_Resize(made_text, size) < 0) goto done;
    result = PyTuple_Pack(2, made_text, made_borders);
done:
    Py_XDECREF(made_text);
    Py_XDECREF(made_borders);
    close_arrays(arrays, 3);
    return result;
}

typedef struct {
    int64_t parent;
    int64_t n;
} Family;

/* Siblings follow one another among the elements of their depth, so a count is kept for each depth and tag. */
static void count_siblings(
    const int64_t *parents, const int64_t *tags, const int64_t *depths, Py_ssize_t n, int64_t n_tags, Family *families,
    int64_t *ordinals
) {
    for (Py_ssize_t row = 0; row < n; row++) {
        Family *family = families + depths[row] * n_tags + tags[row];
        if (parents[row] == row || family->n == 0 || family->parent != parents[row]) {
            family->parent = parents[row];
            family->n = 0;
        }
        ordinals[row] = ++family->n;
    }
}

PyObject *sibling_ordinals(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[3], *result = NULL;
    Array arrays[3] = {0};
    Family *families = NULL;
    void *ordinals;
    if (!PyArg_ParseTuple(arguments, "OOO", objects, objects + 1, objects + 2)) return NULL;
    const char *names[] = {"parents", "tags", "depths"};
    for (int number = 0; number < 3; number++)
        if (!open_array(objects[number], INT64, arrays + number, names[number])) goto done;
    const int64_t *parents = VALUES(arrays[0], int64_t), *tags = VALUES(arrays[1], int64_t);
    const int64_t *depths = VALUES(arrays[2], int64_t);
    Py_ssize_t n = arrays[0].n;
    int64_t n_tags = 0, n_depths = 0;
    bool is_right = arrays[1].n == n && arrays[2].n == n;
    for (Py_ssize_t row = 0; is_right && row < n; row++) {
        is_right = tags[row] >= 0 && tags[row] < INT32_MAX && depths[row] >= 1 && depths[row] <= n;
        if (tags[row] >= n_tags) n_tags = tags[row] + 1;
        if (depths[row] >= n_depths) n_depths = depths[row] + 1;
    }
    REFUSE_IF(!is_right, "a tag or depth is impossible");
    if (n_tags && n_depths > (4 * (int64_t)n + 65536) / n_tags) { /* too large a table: few elements, many names */
        result = Py_NewRef(Py_None);
        goto done;
    }
    if (!(families = zeroed_memory(n_tags * n_depths, sizeof(Family)))) goto done;
    if (!(result = new_values(n, sizeof(int64_t), &ordinals))) goto done;
    Py_BEGIN_ALLOW_THREADS
    count_siblings(parents, tags, depths, n, n_tags, families, ordinals);
    Py_END_ALLOW_THREADS
done:
    give_back(families);
    close_arrays(arrays, 3);
    return result;
}
