/* The sums of the terms' parts and the weights of headings, of elements in which `count_in_tree` has counted the terms.

   The references are `ElementScorer._scored` (engine/ranking/scoring/element_scorer.py) and `heading_scores`
   (engine/ranking/scoring/headings_and_neighbours.py) without kernels; operations on floating-point numbers are the
   same, in the same order. */
#include "kernels.h"
#include "counted_tree.h"
#include "shares.h"

typedef struct {
    const CountedTree *tree;
    const double *of_terms, *of_query;  /* weights, shape (n_terms, n_documents) and (n_documents,) */
    double k1, b, block;
} Weighing;

/* Where the scope of a heading begins or ends, with a term of the heading. */
typedef struct {
    int64_t place;
    int32_t term, change;
} Border;

/* One document: its elements, and the weights of the terms in it. */
typedef struct {
    Py_ssize_t first, end;
    double *weights;
    int64_t *open;  /* scopes with each term */
    Border *borders;
    Py_ssize_t n_borders, capacity;
} Document;

/* Add up the parts of the terms in each element, and their weights, in the order of the terms. */
static void add_up(const Weighing *w, Py_ssize_t document, const Document *d, double *sums, double *shares) {
    const CountedTree *tree = w->tree;
    for (Py_ssize_t at = d->first; at < d->end; at++) {
        double sum = 0.0, weight = 0.0, norm = norm_of((double)tree->elements[at].words, w->k1, w->b, w->block);
        for (int64_t pair = tree->first_pair[at]; pair < tree->first_pair[at + 1]; pair++) {
            double of_term = d->weights[tree->term[pair]];
            sum += of_term * frequency_of((double)tree->tf[pair], w->k1, norm);
            weight += of_term;
        }
        sums[at] = sum;
        shares[at] = share_of(weight, w->of_query[document]);
    }
}

/* The first element from one on that begins at a row or after it. */
static int64_t first_from(const CountedTree *tree, int64_t first, int64_t end, int64_t row) {
    int64_t step = 1, last = first;
    while (last < end && tree->elements[last].row < row) first = last + 1, last += step, step *= 2;
    if (last > end) last = end;
    while (first < last) {
        int64_t middle = first + (last - first) / 2;
        if (tree->elements[middle].row < row) first = middle + 1;
        else last = middle;
    }
    return first;
}

static int by_place(const void *one, const void *other) {
    int64_t a = ((const Border *)one)->place, b = ((const Border *)other)->place;
    return (a > b) - (a < b);
}

/* The terms in headings, where the scope of each begins and ends: it speaks of an element around it, one of a root of none. */
static bool find_borders(const CountedTree *tree, Document *d) {
    d->n_borders = 0;
    for (Py_ssize_t at = d->first; at < d->end; at++) {
        int64_t entitled = at;
        for (int level = tree->elements[at].heading_levels; level; level--) entitled = tree->parents[entitled];
        if (!tree->elements[at].heading_levels || tree->is_root[entitled]) continue;
        if (d->n_borders + 2 * tree->n_terms > d->capacity) {
            Py_ssize_t capacity = 2 * d->capacity + 2 * tree->n_terms;
            Border *borders = realloc(d->borders, (size_t)capacity * sizeof(Border));
            if (!borders) return false;
            d->borders = borders, d->capacity = capacity;
        }
        int64_t end = first_from(tree, entitled, d->end, tree->elements[entitled].end);
        for (int64_t pair = tree->first_pair[at]; pair < tree->first_pair[at + 1]; pair++) {
            d->borders[d->n_borders++] = (Border){entitled, tree->term[pair], 1};
            d->borders[d->n_borders++] = (Border){end, tree->term[pair], -1};
        }
    }
    if (d->n_borders) qsort(d->borders, (size_t)d->n_borders, sizeof(Border), by_place);
    return true;
}

/* Between two borders all elements are in the same scopes; their terms are added in the order of the terms. */
static void add_headings(const CountedTree *tree, Document *d, double *of_headings) {
    Py_ssize_t place = d->first;
    double weight = 0.0;
    memset(d->open, 0, (size_t)tree->n_terms * sizeof(int64_t));
    for (Py_ssize_t at = 0; at < d->n_borders;) {
        int64_t border = d->borders[at].place;
        while (place < border) of_headings[place++] = weight;
        for (; at < d->n_borders && d->borders[at].place == border; at++)
            d->open[d->borders[at].term] += d->borders[at].change;
        weight = 0.0;
        for (int term = 0; term < tree->n_terms; term++)
            if (d->open[term] > 0) weight += d->weights[term];
    }
    while (place < d->end) of_headings[place++] = weight;
}

/* Weigh the terms of all documents; their shares, each different one once, follow one another in `different`. */
static bool weigh_all(const Weighing *w, WeighedTree *out, double *shares, double *different) {
    const CountedTree *tree = w->tree;
    size_t n_terms = (size_t)tree->n_terms + 1;
    Document d = {.weights = malloc(n_terms * sizeof(double)), .open = malloc(n_terms * sizeof(int64_t))};
    bool is_done = d.weights && d.open;
    for (Py_ssize_t document = 0; is_done && document < tree->n_documents; document++) {
        d.first = tree->first_element[document], d.end = tree->first_element[document + 1];
        for (int term = 0; term < tree->n_terms; term++)
            d.weights[term] = w->of_terms[term * tree->n_documents + document];
        add_up(w, document, &d, out->sums, shares);
        is_done = find_borders(tree, &d);
        if (is_done) add_headings(tree, &d, out->of_headings);
    }
    if (is_done) out->n_shares = number_shares(shares, tree->n, different, out->shares);
    free(d.weights);
    free(d.open);
    free(d.borders);
    return is_done;
}

/* What the kernel returns, from checked arguments; NULL with an error set. */
static PyObject *weighed(const Weighing *w, PyObject *counted) {
    WeighedTree out = {0};
    Py_ssize_t n = w->tree->n;
    double *values = memory(2 * n, sizeof(double)), *different;
    PyObject *of_shares = NULL, *object = NULL, *result = NULL;
    if (!values || !make_weighed_tree(&out, counted, n)) goto done;
    bool is_done;
    Py_BEGIN_ALLOW_THREADS
    is_done = weigh_all(w, &out, values, values + n);
    Py_END_ALLOW_THREADS
    if (!is_done) PyErr_NoMemory();
    else if ((of_shares = new_values(out.n_shares, 8, (void **)&different))) {
        memcpy(different, values + n, (size_t)out.n_shares * sizeof(double));
        object = weighed_tree_object(&out);
    }
    if (object) result = Py_BuildValue("OO", object, of_shares);
done:
    free_weighed_tree(&out);
    free(values);
    Py_XDECREF(object);
    Py_XDECREF(of_shares);
    return result;
}

PyObject *weigh_in_tree(PyObject *module, PyObject *arguments) {
    PyObject *counted, *objects[2], *result = NULL;
    Array arrays[2] = {0};
    Weighing w = {0};
    if (!PyArg_ParseTuple(arguments, "OOOddd", &counted, objects, objects + 1, &w.k1, &w.b, &w.block)) return NULL;
    if (!(w.tree = counted_tree_of(counted))) return NULL;
    if (!open_array(objects[0], FLOAT64, arrays, "of_terms") || !open_array(objects[1], FLOAT64, arrays + 1, "of_query"))
        goto done;
    w.of_terms = VALUES(arrays[0], double), w.of_query = VALUES(arrays[1], double);
    if (arrays[1].n == w.tree->n_documents && arrays[0].n == w.tree->n_terms * w.tree->n_documents)
        result = weighed(&w, counted);
    else
        refuse("weights have other shapes than terms and documents");
done:
    close_arrays(arrays, 2);
    return result;
}
