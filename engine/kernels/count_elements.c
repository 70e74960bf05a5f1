/* Elements of the table that contain terms of a query, with their columns, and how often each contains each term.

   One document after the other, so that its elements and counts stay in the processor's cache. The references are
   `context_of` (engine/ranking/scoring/context.py) and `pairs_in` (engine/similarity/term_frequencies.py)
   without kernels. */
#include "element_columns.h"
#include "kernels.h"
#include "tree_rows.h"

typedef struct {
    Table table;
    Postings *terms;
    int n_terms;
    const int64_t *roots, *ends;  /* rows of the roots of all documents, and one past the last row of each */
    Py_ssize_t n_documents;
} Search;

/* Terms in elements, element by element: columns of the term, the place of the element, the frequency. */
typedef struct {
    int64_t *term, *unit, *tf;
    Py_ssize_t n, capacity;
} Pairs;

/* Counts of terms in the elements of one document, shape (n, n_terms), and the room for elements in these. */
typedef struct {
    uint64_t *counts;
    Py_ssize_t n, most;
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

/* Count the terms in the lowest element around each leaf, then in each element those of the elements inside it. */
static bool count_terms(
    const Search *s, const TreeRows *rows, Py_ssize_t document, const Found *found, const int64_t *lowest, Document *d
) {
    const Py_ssize_t *begins = rows->first_posting + document * s->n_terms, *ends = begins + s->n_terms;
    const int32_t *row_of = rows->row_of;
    int n_terms = s->n_terms;
    if (!d->n) return true;
    if (!zeroed(d->counts, (size_t)d->n * (size_t)n_terms * sizeof(uint64_t))) return false;
    for (int term = 0; term < n_terms; row_of += s->terms[term++].n)
        for (Py_ssize_t at = begins[term]; at < ends[term]; at++) {
            if (is_over_at(at, 4)) return false;
            d->counts[lowest[row_of[at]] * n_terms + term] += (uint64_t)s->terms[term].tf[at];
        }
    for (Py_ssize_t at = found->n - 1; at > 0; at--) {
        if (is_over(n_terms)) return false;
        uint64_t *to = d->counts + found->parents[at] * n_terms;
        const uint64_t *from = d->counts + at * n_terms;
        for (int term = 0; term < n_terms; term++) to[term] += from[term];
    }
    return true;
}

static bool resize(Pairs *out, Py_ssize_t capacity) {
    int64_t **columns[] = {&out->term, &out->unit, &out->tf};
    for (int number = 0; number < 3; number++) {
        int64_t *column = retake(*columns[number], ((size_t)capacity + 1) * sizeof(int64_t));
        if (!column) return false;
        *columns[number] = column;
    }
    out->capacity = capacity;
    return true;
}

/* Append the terms in each element of a document, in their order; `first` is the place of its first element. */
static bool append_terms(const Search *s, const Document *d, int64_t first, Pairs *out) {
    const uint64_t *counts = d->counts;
    Py_ssize_t most = out->n + d->n * s->n_terms, to = out->n;
    if (most > out->capacity) {
        bool is_spare = has_room_for(2 * 3 * sizeof(int64_t) * (size_t)most);
        if (!resize(out, is_spare ? 2 * most : most)) return false;
    }
    int64_t *terms = out->term, *units = out->unit, *frequencies = out->tf;
    for (int64_t at = 0; at < d->n; at++) {
        if (is_over(2 * s->n_terms)) return false;
        for (int term = 0; term < s->n_terms; term++, counts++) {
            terms[to] = term, units[to] = first + at, frequencies[to] = (int64_t)*counts;
            to += *counts != 0;  /* what is 0 is overwritten by the next one */
        }
    }
    out->n = to;
    return true;
}

static bool has_room(const Search *s, Document *d) {
    if (d->n <= d->most) return true;
    give_back(d->counts);
    d->counts = NULL;
    d->most = has_room_for(2 * (size_t)d->n * (size_t)(s->n_terms + 1) * sizeof(uint64_t)) ? 2 * d->n : d->n;
    return (d->counts = take((size_t)d->most * (size_t)(s->n_terms + 1) * sizeof(uint64_t))) != NULL;
}

/* Count the terms in the elements of all documents. */
static const char *count_all(const Search *s, TreeRows *rows, Found *found, Elements *elements, Pairs *pairs) {
    int64_t *lowest = take(((size_t)rows->n_postings + 1) * sizeof(int64_t));
    Document d = {0};
    const char *error = lowest ? find_roots(&s->table, s->roots, s->ends, s->n_documents, rows) : "";
    for (Py_ssize_t next = 0; !error && next <= s->n_documents; next++) {
        Py_ssize_t document = next - 1, first = elements->n;
        if (next < s->n_documents) error = find_rows(s->terms, s->n_terms, next, rows); /* while memory is read ahead */
        if (error || document < 0) continue;
        error = find_elements_of(s, rows, document, found, lowest);
        if (!error) error = append_elements(&s->table, rows->segments[document], found, 0, found->n, elements);
        d.n = found->n;
        if (!error && !has_room(s, &d)) error = "";
        if (error) continue;
        if (!count_terms(s, rows, document, found, lowest, &d) || !append_terms(s, &d, first, pairs)) error = "";
    }
    for (int term = 0; !error && term < s->n_terms; term++)
        if (rows->first_posting[s->n_documents * s->n_terms + term] < s->terms[term].n)
            error = "leaf.npy: postings are in no document";
    give_back(lowest);
    give_back(d.counts);
    return error;
}

/* The columns of pairs, which are freed here; NULL with an error set. */
static PyObject *columns_of_pairs(Pairs *pairs) {
    Py_ssize_t n_bytes = 8 * pairs->n;
    bool has_memory = resize(pairs, pairs->n);
    Pairs given = *pairs;
    *pairs = (Pairs){0};
    if (has_memory) return Py_BuildValue("NNN", owned(given.term, n_bytes), owned(given.unit, n_bytes), owned(given.tf, n_bytes));
    give_back(given.term), give_back(given.unit), give_back(given.tf);
    return no_memory();
}

/* What the kernel returns, from checked arguments; NULL with an error set. */
static PyObject *counted(const Search *s) {
    TreeRows rows = {0};
    Found found = {0};
    Elements elements = {.roots = s->roots, .n_roots = s->n_documents};
    Pairs pairs = {0};
    PyObject *of_elements = NULL, *of_pairs = NULL, *result = NULL;
    const char *error;
    Py_BEGIN_ALLOW_THREADS
    error = make_tree_rows(&rows, s->terms, s->n_terms, s->n_documents) ? NULL : "";
    /* About as many as there are; where more are needed, memory has to be copied. */
    Py_ssize_t n_expected = rows.n_postings + 4 * s->n_documents;
    if (!error && !(make_room(&elements, n_expected) && resize(&pairs, 2 * n_expected))) error = "";
    if (!error) error = count_all(s, &rows, &found, &elements, &pairs);
    Py_END_ALLOW_THREADS
    if (error && !*error) no_memory();
    else if (error) refuse(error);
    else if ((of_elements = columns_of(&s->table, &elements))) of_pairs = columns_of_pairs(&pairs);
    if (of_pairs) result = Py_BuildValue("OO", of_elements, of_pairs);
    Py_XDECREF(of_elements);
    Py_XDECREF(of_pairs);
    give_back(pairs.term), give_back(pairs.unit), give_back(pairs.tf);
    free_elements(&elements);
    free_tree_rows(&rows);
    free_found(&found);
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

PyObject *count_elements(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *segments, *mask, *leaves, *tf, *of_roots, *of_ends, *result = NULL;
    Array borders[2] = {0};
    Search s = {0};
    if (!PyArg_ParseTuple(
            arguments, "OOO!O!OO", &segments, &mask, &PyList_Type, &leaves, &PyList_Type, &tf, &of_roots, &of_ends))
        return NULL;
    if (PyList_Size(leaves) > UINT16_MAX || PyList_Size(leaves) != PyList_Size(tf)) {
        refuse("there are too many terms, or not as many frequencies");
        return NULL;
    }
    s.n_terms = (int)PyList_Size(leaves);
    Array *of_terms = zeroed_memory(2 * (Py_ssize_t)s.n_terms, sizeof(Array));
    s.terms = memory(s.n_terms, sizeof(Postings));
    if (!of_terms || !s.terms || !open_table(segments, mask, &s.table)) goto done;
    if (!open_array(of_roots, INT64, borders, "roots") || !open_array(of_ends, INT64, borders + 1, "ends") ||
        !open_postings(leaves, tf, of_terms, &s))
        goto done;
    s.roots = VALUES(borders[0], int64_t), s.ends = VALUES(borders[1], int64_t), s.n_documents = borders[0].n;
    REFUSE_IF(borders[1].n != s.n_documents, "there are not as many ends as roots");
    result = counted(&s);
done:
    if (of_terms) close_arrays(of_terms, 2 * s.n_terms);
    close_arrays(borders, 2);
    close_table(&s.table);
    give_back(of_terms);
    give_back(s.terms);
    return result;
}
