/* Elements of the table that contain terms of a query, and how often, with what is beside and above them.

   One document after the other, so that its elements and counts stay in the processor's cache. The references are
   `context_of` (engine/ranking/scoring/context.py) and `pairs_in` (engine/similarity/term_frequencies.py)
   without kernels. */
#include "kernels.h"
#include "counted_tree.h"
#include "tree_rows.h"

typedef struct {
    Table table;
    Postings *terms;
    int n_terms;
    const int64_t *roots;  /* rows of the roots of all documents */
    Py_ssize_t n_documents;
} Search;

/* What is counted in one document. */
typedef struct {
    Py_ssize_t first, end;  /* its elements */
    uint64_t *counts;       /* of terms in elements, shape (end - first, n_terms) */
    Py_ssize_t most;        /* elements for which there is room in these */
} Document;

/* Find the elements of a document that are or contain rows, and the lowest one around each row. */
static const char *find_elements_of(
    const Search *s, TreeRows *rows, Py_ssize_t document, Found *found, int64_t *lowest
) {
    found->n = 0;
    for (Py_ssize_t at = rows->first_row[document]; at < rows->first_row[document + 1]; at++) {
        Py_ssize_t unit;
        const char *error = add_with_ancestors(&s->table, rows->segments[document], found, rows->rows[at], &unit);
        if (error) return error;
        lowest[at] = unit;
    }
    return NULL;
}

static const char *copy_elements(
    const Search *s, const TreeRows *rows, const Found *found, Py_ssize_t document, const Document *d, CountedTree *out
) {
    const char *error =
        read_elements(&s->table, rows->segments[document], found, 0, found->n, out->elements + d->first);
    if (error) return error;
    for (Py_ssize_t at = d->first, place = 0; at < d->end; at++, place++) {
        out->document[at] = (int32_t)document;
        out->is_root[at] = found->parents[place] == place;
        out->parents[at] = (int32_t)(out->elements[at].is_lower ? at : d->first + found->parents[place]);
        if (out->is_root[at] != !place) return "parent.npy: an element has no document";
    }
    if (d->first < d->end && out->elements[d->first].row != s->roots[document])
        return "first_row.npy: an element has no document";
    return NULL;
}

/* Count the terms in the lowest element around each leaf, then in each element those of the elements inside it. */
static void count_terms(
    const Search *s, const TreeRows *rows, Py_ssize_t document, const Found *found, const int64_t *lowest, Document *d
) {
    const Py_ssize_t *begins = rows->first_posting + document * s->n_terms, *ends = begins + s->n_terms;
    const int32_t *row_of = rows->row_of;
    int n_terms = s->n_terms;
    if (d->first == d->end) return;
    memset(d->counts, 0, (size_t)(d->end - d->first) * (size_t)n_terms * sizeof(uint64_t));
    for (int term = 0; term < n_terms; row_of += s->terms[term++].n)
        for (Py_ssize_t at = begins[term]; at < ends[term]; at++)
            d->counts[lowest[row_of[at]] * n_terms + term] += (uint64_t)s->terms[term].tf[at];
    for (Py_ssize_t at = found->n - 1; at > 0; at--) {
        uint64_t *to = d->counts + found->parents[at] * n_terms;
        const uint64_t *from = d->counts + at * n_terms;
        for (int term = 0; term < n_terms; term++) to[term] += from[term];
    }
}

/* The place of the element directly after one, if both can be neighbours; -1 without one. */
static int64_t find_behind(const Search *s, const CountedTree *out, Py_ssize_t at, Py_ssize_t end) {
    const Element *elements = out->elements;
    double least = s->table.neighbour_words;
    if ((double)elements[at].words < least || out->is_root[at] || out->parents[at] == at) return -1;
    Py_ssize_t step = 1, first = at + 1, last = first;
    int64_t row = elements[at].end;
    while (last < end && elements[last].row < row) first = last + 1, last += step, step *= 2;
    if (last > end) last = end;
    while (first < last) {
        Py_ssize_t middle = first + (last - first) / 2;
        if (elements[middle].row < row) first = middle + 1;
        else last = middle;
    }
    if (first >= end || elements[first].row != row || out->parents[first] != out->parents[at]) return -1;
    return (double)elements[first].words >= least ? first : -1;
}

/* Append the terms in each element, in their order. */
static void append_terms(const Search *s, const Document *d, CountedTree *out) {
    const uint64_t *counts = d->counts;
    int32_t *terms = out->term;
    int64_t *tf = out->tf;
    Py_ssize_t n_pairs = out->n_pairs;
    for (Py_ssize_t at = d->first; at < d->end; at++) {
        out->first_pair[at] = n_pairs;
        for (int term = 0; term < s->n_terms; term++, counts++) {
            terms[n_pairs] = term, tf[n_pairs] = (int64_t)*counts;
            n_pairs += *counts != 0;  /* what is 0 is overwritten by the next one */
        }
    }
    out->n_pairs = n_pairs;
}

static const char *count_document(
    const Search *s, const TreeRows *rows, Py_ssize_t document, const Found *found, const int64_t *lowest, Document *d,
    CountedTree *out
) {
    const char *error = copy_elements(s, rows, found, document, d, out);
    if (error) return error;
    count_terms(s, rows, document, found, lowest, d);
    append_terms(s, d, out);
    for (Py_ssize_t at = d->first; at < d->end; at++)
        out->behind[at] = (int32_t)find_behind(s, out, at, d->end);
    out->first_element[document + 1] = d->end;
    return NULL;
}

/* Make room for the elements of one more document, and for the terms in these; false without memory. */
static bool has_room(const Search *s, Document *d, CountedTree *out) {
    Py_ssize_t n = d->end - d->first;
    if (!has_room_for(out, d->end, out->n_pairs + n * s->n_terms + 1)) return false;
    if (n <= d->most) return true;
    free(d->counts);
    d->most = 2 * n;
    return (d->counts = malloc((size_t)d->most * (size_t)(s->n_terms + 1) * sizeof(uint64_t))) != NULL;
}

/* Count the terms in the elements of all documents.

   The rows of the next document are found before the elements of one, so that the memory has time to read these. */
static const char *count_all(const Search *s, TreeRows *rows, Found *found, CountedTree *out) {
    int64_t *lowest = malloc(((size_t)rows->n_postings + 1) * sizeof(int64_t));
    Document d = {0};
    out->n_terms = s->n_terms, out->n_documents = s->n_documents;
    out->first_element = calloc((size_t)s->n_documents + 1, sizeof(Py_ssize_t));
    Py_ssize_t expected = rows->n_postings + s->n_documents + 1;
    const char *error = lowest && out->first_element && has_room_for(out, expected, 2 * expected) ? NULL : "";
    if (!error) error = find_roots(&s->table, s->roots, s->n_documents, rows);
    for (Py_ssize_t next = 0; !error && next <= s->n_documents; next++) {
        Py_ssize_t document = next - 1;
        if (next < s->n_documents) error = find_rows(s->terms, s->n_terms, next, rows);
        if (error || document < 0) continue;
        error = find_elements_of(s, rows, document, found, lowest);
        d.first = d.end, d.end += found->n;
        if (!error && !has_room(s, &d, out)) error = "";
        if (!error) error = count_document(s, rows, document, found, lowest, &d, out);
    }
    for (int term = 0; !error && term < s->n_terms; term++)
        if (rows->first_posting[s->n_documents * s->n_terms + term] < s->terms[term].n)
            error = "leaf.npy: postings are in no document";
    out->n = d.end;
    if (!error) out->first_pair[out->n] = out->n_pairs;
    free(lowest);
    free(d.counts);
    return error;
}

/* What the kernel returns, from checked arguments; NULL with an error set. */
static PyObject *counted(const Search *s) {
    TreeRows rows = {0};
    Found found = {0};
    CountedTree out = {0};
    PyObject *object = NULL, *result = NULL;
    const char *error;
    Py_BEGIN_ALLOW_THREADS
    error = make_tree_rows(&rows, s->terms, s->n_terms, s->n_documents) ? NULL : "";
    if (!error) error = count_all(s, &rows, &found, &out);
    Py_END_ALLOW_THREADS
    Py_ssize_t n = out.n, n_pairs = out.n_pairs;
    if (error && !*error) PyErr_NoMemory();
    else if (error) refuse(error);
    else object = counted_tree_object(&out);
    if (object) result = Py_BuildValue("Onn", object, n, n_pairs);
    free_counted_tree(&out);
    free_tree_rows(&rows);
    free_found(&found);
    Py_XDECREF(object);
    return result;
}

static bool open_postings(PyObject *leaves, PyObject *tf, Array *arrays, Search *s) {
    Py_ssize_t left = INT32_MAX;
    for (int term = 0; term < s->n_terms; term++) {
        Array *of_leaves = arrays + 2 * term, *of_tf = of_leaves + 1;
        if (!open_array(PyList_GetItem(leaves, term), INT64, of_leaves, "leaves")) return false;
        if (!open_array(PyList_GetItem(tf, term), INT64, of_tf, "tf")) return false;
        if (of_leaves->n != of_tf->n) return refuse("leaves and frequencies of a term have different lengths");
        if (of_leaves->n > left) return refuse("there are too many postings");
        left -= of_leaves->n;
        s->terms[term] = (Postings){VALUES(*of_leaves, int64_t), VALUES(*of_tf, int64_t), of_leaves->n};
    }
    return true;
}

PyObject *count_in_tree(PyObject *module, PyObject *arguments) {
    PyObject *segments, *mask, *leaves, *tf, *of_roots, *result = NULL;
    Array roots = {0};
    Search s = {0};
    if (!PyArg_ParseTuple(
            arguments, "OOO!O!O", &segments, &mask, &PyList_Type, &leaves, &PyList_Type, &tf, &of_roots))
        return NULL;
    if (PyList_Size(leaves) > UINT16_MAX || PyList_Size(leaves) != PyList_Size(tf)) {
        refuse("there are too many terms, or not as many frequencies");
        return NULL;
    }
    s.n_terms = (int)PyList_Size(leaves);
    Array *of_terms = zeroed_memory(2 * (Py_ssize_t)s.n_terms, sizeof(Array));
    s.terms = memory(s.n_terms, sizeof(Postings));
    if (!of_terms || !s.terms || !open_table(segments, mask, &s.table)) goto done;
    if (!open_array(of_roots, INT64, &roots, "roots") || !open_postings(leaves, tf, of_terms, &s)) goto done;
    s.roots = VALUES(roots, int64_t), s.n_documents = roots.n;
    result = counted(&s);
done:
    if (of_terms) close_arrays(of_terms, 2 * s.n_terms);
    close_arrays(&roots, 1);
    close_table(&s.table);
    free(of_terms);
    free(s.terms);
    return result;
}
