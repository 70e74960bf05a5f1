/* The columns of elements, and what is beside and above them: in document order, one pass each. */
#include "element_columns.h"

typedef struct {
    int64_t *rows, *ends, *words, *tags, *depths, *document, *parents;
    uint8_t *is_root, *heading_levels, *is_mostly_titles;
    int64_t *left, *right, *headings, *first, *end;
    Py_ssize_t n, n_neighbours, n_headings;
} Columns;

void free_elements(Elements *elements) {
    free(elements->elements);
    free(elements->parents);
    free(elements->are_roots);
}

static bool has_room(Elements *out, Py_ssize_t n) {
    if (n <= out->capacity) return true;
    Py_ssize_t capacity = 2 * n;
    Element *elements = realloc(out->elements, (size_t)capacity * sizeof(Element));
    if (elements) out->elements = elements;
    int64_t *parents = realloc(out->parents, (size_t)capacity * sizeof(int64_t));
    if (parents) out->parents = parents;
    uint8_t *are_roots = realloc(out->are_roots, (size_t)capacity);
    if (are_roots) out->are_roots = are_roots;
    if (!elements || !parents || !are_roots) return false;
    out->capacity = capacity;
    return true;
}

const char *append_elements(
    const Table *table, SegmentTable *segment, const Found *found, Py_ssize_t first, Py_ssize_t end, Elements *out
) {
    if (!has_room(out, out->n + end - first)) return "";
    Element *elements = out->elements + out->n - first; /* by places among the found */
    const char *error = read_elements(table, segment, found, first, end, elements + first);
    for (Py_ssize_t at = first; !error && at < end; at++) {
        int64_t parent = found->parents[at];
        out->are_roots[out->n + at - first] = parent == at;
        if (elements[at].is_lower) parent = at;
        else while (elements[parent].is_inline && found->parents[parent] != parent) parent = found->parents[parent];
        out->parents[out->n + at - first] = out->n - first + parent;
    }
    out->n += end - first;
    return error;
}

static const char *fill_columns(const Elements *found, Columns *out, const int64_t *roots, Py_ssize_t n_roots) {
    Py_ssize_t document = -1;
    for (Py_ssize_t at = 0; at < found->n; at++) {
        const Element *element = found->elements + at;
        out->rows[at] = element->row, out->ends[at] = element->end, out->words[at] = element->words;
        out->tags[at] = element->tag, out->depths[at] = element->depth, out->parents[at] = found->parents[at];
        out->heading_levels[at] = element->heading_levels, out->is_mostly_titles[at] = element->is_mostly_titles;
        out->is_root[at] = found->are_roots[at];
        if (out->is_root[at]) {
            do document++;
            while (document < n_roots && roots[document] < element->row);
            if (document >= n_roots || roots[document] != element->row) return "first_row.npy: an element has no document";
        } else if (document < 0) return "parent.npy: an element has no document";
        out->document[at] = document;
    }
    return NULL;
}

/* The first place from one on, of a row or one after it: close by, for most elements. */
static Py_ssize_t place_from(const Columns *c, Py_ssize_t at, int64_t row) {
    Py_ssize_t step = 1, first = at, last = at;
    while (last < c->n && c->rows[last] < row) first = last + 1, last += step, step *= 2;
    return lower_bound(c->rows, first, last < c->n ? last : c->n, row);
}

/* Elements directly after others, under the same parent, where both are long enough. */
static void find_neighbours(const Table *table, Columns *out) {
    double least = table->neighbour_words;
    for (Py_ssize_t at = 0; at < out->n; at++) {
        if ((double)out->words[at] < least || out->is_root[at] || out->parents[at] == at) continue;
        Py_ssize_t place = place_from(out, at + 1, out->ends[at]);
        if (place == out->n || out->rows[place] != out->ends[at] || out->parents[place] != out->parents[at]) continue;
        if ((double)out->words[place] < least || out->is_root[place]) continue;
        out->left[out->n_neighbours] = at;
        out->right[out->n_neighbours++] = place;
    }
}

/* The scopes of headings: each speaks of an element around it, that of a root is in the score of the article. */
static void find_titles(Columns *out) {
    for (Py_ssize_t at = 0; at < out->n; at++) {
        int64_t entitled = at;
        for (int level = out->heading_levels[at]; level; level--) entitled = out->parents[entitled];
        if (!out->heading_levels[at] || out->is_root[entitled]) continue;
        out->headings[out->n_headings] = at;
        out->first[out->n_headings] = entitled;
        out->end[out->n_headings++] = place_from(out, entitled, out->ends[entitled]);
    }
}

PyObject *columns_of(const Table *table, const Elements *found, const int64_t *roots, Py_ssize_t n_roots) {
    Py_ssize_t n = found->n;
    Columns out = {.n = n};
    int64_t *numbers, *pairs = memory(5 * n, sizeof(int64_t));
    uint8_t *masks;
    PyObject *of_numbers = NULL, *of_masks = NULL, *result = NULL;
    if (!pairs || !(of_numbers = new_values(7 * n, 8, (void **)&numbers))) goto done;
    if (!(of_masks = new_values(3 * n, 1, (void **)&masks))) goto done;
    out.rows = numbers, out.ends = numbers + n, out.words = numbers + 2 * n, out.tags = numbers + 3 * n;
    out.depths = numbers + 4 * n, out.document = numbers + 5 * n, out.parents = numbers + 6 * n;
    out.is_root = masks, out.heading_levels = masks + n, out.is_mostly_titles = masks + 2 * n;
    out.left = pairs, out.right = pairs + n;
    out.headings = pairs + 2 * n, out.first = pairs + 3 * n, out.end = pairs + 4 * n;
    const char *error;
    Py_BEGIN_ALLOW_THREADS
    error = fill_columns(found, &out, roots, n_roots);
    if (!error) {
        find_neighbours(table, &out);
        find_titles(&out);
    }
    Py_END_ALLOW_THREADS
    if (error) {
        refuse(error);
        goto done;
    }
    Py_ssize_t of_neighbours = out.n_neighbours * 8, of_titles = out.n_headings * 8;
    result = Py_BuildValue(
        "OO(y#y#)(y#y#y#)", of_numbers, of_masks, (char *)out.left, of_neighbours, (char *)out.right, of_neighbours,
        (char *)out.headings, of_titles, (char *)out.first, of_titles, (char *)out.end, of_titles
    );
done:
    Py_XDECREF(of_numbers);
    Py_XDECREF(of_masks);
    free(pairs);
    return result;
}
