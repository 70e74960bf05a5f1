/* The columns of elements, and what is beside and above them: in document order, one pass each. */
#include "element_columns.h"

enum { N_NUMBERS = 6, N_MASKS = 3 };

/* Places of elements directly after others, and of headings with the first and the end of what each speaks of. */
typedef struct {
    int64_t *left, *right, *headings, *first, *end;
    Py_ssize_t n_neighbours, n_headings;
} Relations;

bool make_room(Elements *out, Py_ssize_t capacity) {
    int64_t **numbers[N_NUMBERS] = {
        &out->rows, &out->ends, &out->words, &out->tags, &out->document, &out->parents};
    uint8_t **masks[N_MASKS] = {&out->is_root, &out->heading_levels, &out->is_mostly_titles};
    size_t size = capacity ? (size_t)capacity : 1;
    for (int number = 0; number < N_NUMBERS; number++) {
        int64_t *column = retake(*numbers[number], size * sizeof(int64_t));
        if (!column) return false;
        *numbers[number] = column;
    }
    for (int number = 0; number < N_MASKS; number++) {
        uint8_t *column = retake(*masks[number], size);
        if (!column) return false;
        *masks[number] = column;
    }
    out->capacity = capacity;
    return true;
}

void free_elements(Elements *out) {
    void *columns[] = {out->rows, out->ends, out->words, out->tags, out->document, out->parents,
                       out->is_root, out->heading_levels, out->is_mostly_titles};
    for (int number = 0; number < N_NUMBERS + N_MASKS; number++) give_back(columns[number]);
    *out = (Elements){0};
}

/* The place of the document of an element, given those before it; -1 where no document has it. */
static int64_t document_of(Elements *out, int64_t row, bool is_root) {
    if (!is_root) return out->next_document - 1;
    while (out->next_document < out->n_roots && out->roots[out->next_document] < row) out->next_document++;
    if (out->next_document == out->n_roots || out->roots[out->next_document] != row) return -1;
    return out->next_document++;
}

const char *append_elements(
    const Table *table, SegmentTable *segment, const Found *found, Py_ssize_t first, Py_ssize_t end, Elements *out
) {
    if (out->n + end - first > out->capacity && !make_room(out, 2 * (out->n + end - first))) return "";
    Py_ssize_t to = out->n;
    for (Py_ssize_t at = first; at < end; at++, to++) {
        Element element;
        const char *error = read_element(table, segment, found->rows[at], &element);
        if (error) return error;
        int64_t parent = found->parents[at];
        bool is_root = parent == at;
        if (found->are_lower[at]) parent = at;
        else
            while (is_inline(segment, found->rows[parent]) && found->parents[parent] != parent) {
                if (is_over(4)) return "";
                parent = found->parents[parent];
            }
        if (is_over(16)) return "";
        int64_t document = document_of(out, found->rows[at], is_root);
        if (document < 0) return is_root ? "first_row.npy: an element has no document" : "parent.npy: an element has no root";
        out->rows[to] = found->rows[at], out->ends[to] = element.end, out->words[to] = element.words;
        out->tags[to] = element.tag, out->document[to] = document;
        out->parents[to] = out->n - first + parent, out->is_root[to] = is_root;
        out->heading_levels[to] = element.heading_levels, out->is_mostly_titles[to] = element.is_mostly_titles;
    }
    out->n = to;
    return NULL;
}

/* The first place from one on, of a row or one after it: close by, for most elements. */
static Py_ssize_t place_from(const Elements *e, Py_ssize_t at, int64_t row) {
    Py_ssize_t step = 1, first = at, last = at;
    while (last < e->n && e->rows[last] < row) first = last + 1, last += step, step *= 2;
    return lower_bound(e->rows, first, last < e->n ? last : e->n, row);
}

/* Elements directly after others, under the same parent, where both are long enough; false where time is over. */
static bool find_neighbours(const Table *table, const Elements *e, Relations *out) {
    double least = table->neighbour_words;
    for (Py_ssize_t at = 0; at < e->n; at++) {
        if (is_over_at(at, 8)) return false;
        if ((double)e->words[at] < least || e->is_root[at] || e->parents[at] == at) continue;
        Py_ssize_t place = place_from(e, at + 1, e->ends[at]);
        if (place == e->n || e->rows[place] != e->ends[at] || e->parents[place] != e->parents[at]) continue;
        if ((double)e->words[place] < least || e->is_root[place]) continue;
        out->left[out->n_neighbours] = at;
        out->right[out->n_neighbours++] = place;
    }
    return true;
}

/* The scopes of headings: each speaks of an element around it, that of a root is in the score of the article. False where
   time is over. */
static bool find_titles(const Elements *e, Relations *out) {
    for (Py_ssize_t at = 0; at < e->n; at++) {
        int64_t entitled = at;
        if (is_over_at(at, 8)) return false;
        for (int level = e->heading_levels[at]; level; level--) entitled = e->parents[entitled];
        if (!e->heading_levels[at] || e->is_root[entitled]) continue;
        out->headings[out->n_headings] = at;
        out->first[out->n_headings] = entitled;
        out->end[out->n_headings++] = place_from(e, entitled, e->ends[entitled]);
    }
    return true;
}

PyObject *columns_of(const Table *table, Elements *e) {
    Py_ssize_t n = e->n;
    int64_t *places[5] = {0};
    Relations found = {0};
    bool is_done = make_room(e, n);
    for (int number = 0; number < 5; number++) is_done &= (places[number] = take((size_t)(n + 1) * 8)) != NULL;
    found.left = places[0], found.right = places[1];
    found.headings = places[2], found.first = places[3], found.end = places[4];
    Py_BEGIN_ALLOW_THREADS
    is_done = is_done && find_neighbours(table, e, &found) && find_titles(e, &found);
    Py_END_ALLOW_THREADS
    if (!is_done) {
        for (int number = 0; number < 5; number++) give_back(places[number]);
        free_elements(e);
        return no_memory();
    }
    Elements given = *e;
    *e = (Elements){0};
    return Py_BuildValue(
        "(NNNNNN)(NNN)(NN)(NNN)", owned(given.rows, 8 * n), owned(given.ends, 8 * n), owned(given.words, 8 * n),
        owned(given.tags, 8 * n), owned(given.document, 8 * n), owned(given.parents, 8 * n),
        owned(given.is_root, n), owned(given.heading_levels, n), owned(given.is_mostly_titles, n),
        owned(found.left, 8 * found.n_neighbours), owned(found.right, 8 * found.n_neighbours),
        owned(found.headings, 8 * found.n_headings), owned(found.first, 8 * found.n_headings),
        owned(found.end, 8 * found.n_headings)
    );
}
