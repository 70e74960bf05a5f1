/* Elements of the table that are or contain some rows, with the columns that scores read: one pass in document order.

   The reference is `context_of` (engine/ranking/scoring/context.py) without this kernel. */
#include "element_table.h"
#include "kernels.h"

static const char *find_all(const Table *table, Found *found, const int64_t *rows, Py_ssize_t n_rows) {
    SegmentTable *segment = table->segments;
    for (Py_ssize_t at = 0; at < n_rows; at++) {
        Py_ssize_t unit;
        if (at && rows[at] <= rows[at - 1]) return "rows are not ascending";
        if (!(segment = segment_of(table, segment, rows[at]))) return "a row is in no segment";
        const char *error = add_with_ancestors(table, segment, found, rows[at], &unit);
        if (error) return error;
    }
    return NULL;
}

/* The columns of the elements found, and what is beside and above them; see `find_context` of _native.pyi. */
typedef struct {
    int64_t *rows, *ends, *words, *tags, *depths, *document, *parents;
    uint8_t *is_root, *heading_levels, *is_mostly_titles;
    int64_t *left, *right, *headings, *first, *end;
    Py_ssize_t n_neighbours, n_headings;
} Columns;

/* The nearest element around one that is not inline; itself where that does not count. */
static int64_t around(const Found *found, const Element *elements, Py_ssize_t at) {
    int64_t parent = found->parents[at];
    if (elements[at].is_lower) return at;
    while (elements[parent].is_inline && found->parents[parent] != parent) parent = found->parents[parent];
    return parent;
}

static const char *read_all(const Table *table, const Found *found, Element *elements) {
    SegmentTable *segment = table->segments;
    for (Py_ssize_t first = 0, end; first < found->n; first = end) {
        segment = segment_of(table, segment, found->rows[first]);
        end = lower_bound(found->rows, first, found->n, segment->base + segment->n);
        const char *error = read_elements(table, segment, found, first, end, elements + first);
        if (error) return error;
    }
    return NULL;
}

static const char *fill_columns(
    const Found *found, const Element *elements, Columns *out, const int64_t *roots, Py_ssize_t n_roots
) {
    Py_ssize_t document = -1;
    for (Py_ssize_t at = 0; at < found->n; at++) {
        const Element *element = elements + at;
        out->rows[at] = element->row, out->ends[at] = element->end, out->words[at] = element->words;
        out->tags[at] = element->tag, out->depths[at] = element->depth;
        out->heading_levels[at] = element->heading_levels, out->is_mostly_titles[at] = element->is_mostly_titles;
        out->is_root[at] = found->parents[at] == at;
        out->parents[at] = around(found, elements, at);
        if (out->is_root[at]) {
            do document++;
            while (document < n_roots && roots[document] < element->row);
            if (document >= n_roots || roots[document] != element->row) return "first_row.npy: an element has no document";
        }
        out->document[at] = document;
    }
    return NULL;
}

/* Elements directly after others, under the same parent, where both are long enough. */
static void find_neighbours(const Table *table, const Found *found, Columns *out) {
    double least = table->neighbour_words;
    for (Py_ssize_t at = 0; at < found->n; at++) {
        if ((double)out->words[at] < least || out->is_root[at] || out->parents[at] == at) continue;
        Py_ssize_t place = lower_bound(out->rows, at + 1, found->n, out->ends[at]);
        if (place == found->n || out->rows[place] != out->ends[at] || out->parents[place] != out->parents[at]) continue;
        if ((double)out->words[place] < least || out->is_root[place]) continue;
        out->left[out->n_neighbours] = at;
        out->right[out->n_neighbours++] = place;
    }
}

/* The scopes of headings: each speaks of an element around it, that of a root is in the score of the article. */
static void find_titles(const Found *found, Columns *out) {
    for (Py_ssize_t at = 0; at < found->n; at++) {
        int64_t entitled = at;
        for (int level = out->heading_levels[at]; level; level--) entitled = out->parents[entitled];
        if (!out->heading_levels[at] || out->is_root[entitled]) continue;
        out->headings[out->n_headings] = at;
        out->first[out->n_headings] = entitled;
        out->end[out->n_headings++] = lower_bound(out->rows, 0, found->n, out->ends[entitled]);
    }
}

static PyObject *columns_of(const Table *table, const Found *found, const int64_t *roots, Py_ssize_t n_roots) {
    Columns out = {0};
    Py_ssize_t n = found->n;
    int64_t *numbers, *pairs = memory(5 * n, sizeof(int64_t));
    uint8_t *masks;
    PyObject *of_numbers = NULL, *of_masks = NULL, *result = NULL;
    Element *elements = memory(n, sizeof(Element));
    if (!elements || !pairs || !(of_numbers = new_values(7 * n, 8, (void **)&numbers))) goto done;
    if (!(of_masks = new_values(3 * n, 1, (void **)&masks))) goto done;
    out.rows = numbers, out.ends = numbers + n, out.words = numbers + 2 * n, out.tags = numbers + 3 * n;
    out.depths = numbers + 4 * n, out.document = numbers + 5 * n, out.parents = numbers + 6 * n;
    out.is_root = masks, out.heading_levels = masks + n, out.is_mostly_titles = masks + 2 * n;
    out.left = pairs, out.right = pairs + n;
    out.headings = pairs + 2 * n, out.first = pairs + 3 * n, out.end = pairs + 4 * n;
    const char *error;
    Py_BEGIN_ALLOW_THREADS
    error = read_all(table, found, elements);
    if (!error) error = fill_columns(found, elements, &out, roots, n_roots);
    if (!error) {
        find_neighbours(table, found, &out);
        find_titles(found, &out);
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
    free(elements);
    free(pairs);
    return result;
}

PyObject *find_context(PyObject *module, PyObject *arguments) {
    PyObject *segments, *mask, *objects[3], *result = NULL;
    Array arrays[3] = {0};
    Table table = {0};
    Found found = {0};
    if (!PyArg_ParseTuple(arguments, "OOOOO", &segments, &mask, objects, objects + 1, objects + 2)) return NULL;
    if (!open_table(segments, mask, &table) || !open_array(objects[0], INT64, arrays, "rows") ||
        !open_array(objects[1], INT64, arrays + 1, "inline") || !open_array(objects[2], INT64, arrays + 2, "roots"))
        goto done;
    table.inline_rows = VALUES(arrays[1], int64_t), table.n_inline = arrays[1].n;
    const char *error;
    Py_BEGIN_ALLOW_THREADS
    error = find_all(&table, &found, VALUES(arrays[0], int64_t), arrays[0].n);
    Py_END_ALLOW_THREADS
    if (error && !*error) PyErr_NoMemory();
    else if (error) refuse(error);
    else result = columns_of(&table, &found, VALUES(arrays[2], int64_t), arrays[2].n);
done:
    free_found(&found);
    close_arrays(arrays, 3);
    close_table(&table);
    return result;
}
