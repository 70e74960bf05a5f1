/* The weight of the distinct terms in the headings whose scope an element is in, for all elements.

   The reference is `heading_scores` (engine/ranking/scoring/headings_and_neighbours.py) without this kernel. */
#include "kernels.h"

/* A scope begins or ends at an element, with a term of its heading. */
typedef struct {
    int64_t place;
    int32_t term, change;
} Border;

typedef struct {
    const int64_t *term, *unit, *headings, *first, *end, *group;
    const double *of_terms;
    Py_ssize_t n_pairs, n_headings, n_terms;
    int64_t n, n_groups;
} Headings;

static int by_place(const void *one, const void *other) {
    int64_t a = ((const Border *)one)->place, b = ((const Border *)other)->place;
    return (a > b) - (a < b);
}

/* The terms in headings, twice: where the scope of the heading begins, and where it ends. */
static Py_ssize_t find_borders(const Headings *h, int32_t *number, Border *borders) {
    Py_ssize_t n = 0;
    memset(number, 0, (size_t)h->n * sizeof(int32_t));
    for (Py_ssize_t heading = 0; heading < h->n_headings; heading++) number[h->headings[heading]] = (int32_t)heading + 1;
    for (Py_ssize_t pair = 0; pair < h->n_pairs; pair++) {
        int32_t heading = number[h->unit[pair]] - 1;
        if (heading < 0) continue;
        borders[n++] = (Border){h->first[heading], (int32_t)h->term[pair], 1};
        borders[n++] = (Border){h->end[heading], (int32_t)h->term[pair], -1};
    }
    qsort(borders, (size_t)n, sizeof(Border), by_place);
    return n;
}

/* Between two borders all elements are in the same scopes; their terms are added in the order of the terms. */
static void fill(const Headings *h, const Border *borders, Py_ssize_t n_borders, int64_t *open, double *found) {
    int64_t place = 0;
    double weight = 0.0;
    memset(open, 0, (size_t)h->n_terms * sizeof(int64_t));
    for (Py_ssize_t at = 0; at < n_borders;) {
        int64_t border = borders[at].place;
        while (place < border) found[place++] = weight;
        for (; at < n_borders && borders[at].place == border; at++) open[borders[at].term] += borders[at].change;
        weight = 0.0;
        if (border == h->n) continue;
        int64_t group = h->group ? h->group[border] : 0;
        for (Py_ssize_t term = 0; term < h->n_terms; term++)
            if (open[term] > 0) weight += h->of_terms[term * h->n_groups + group];
    }
    while (place < h->n) found[place++] = weight;
}

static bool fits(const Headings *h, const Array *arrays, int64_t n_groups) {
    if (n_groups < 0 || h->n < 0 || arrays[6].n != h->n_terms * n_groups)
        return refuse("weights have other shapes than terms and groups");
    if (arrays[1].n != h->n_pairs || arrays[3].n != h->n_headings || arrays[4].n != h->n_headings)
        return refuse("columns of pairs or of headings differ in length");
    if (!all_below(h->term, h->n_pairs, h->n_terms) || !all_below(h->unit, h->n_pairs, h->n))
        return refuse("a pair is of no term, or of no element");
    if (!all_below(h->headings, h->n_headings, h->n) || !all_below(h->first, h->n_headings, h->n + 1) ||
        !all_below(h->end, h->n_headings, h->n + 1))
        return refuse("a heading, or its scope, is of no element");
    if (h->group && (arrays[5].n != h->n || !all_below(h->group, h->n, n_groups)))
        return refuse("an element is in no group");
    return true;
}

/* The weights, from checked arguments; NULL with an error set. */
static PyObject *weights_of(const Headings *h) {
    double *found;
    PyObject *result = new_values(h->n, 8, (void **)&found);
    int32_t *number = memory(h->n, sizeof(int32_t));
    Border *borders = memory(2 * h->n_pairs, sizeof(Border));
    int64_t *open = memory(h->n_terms, sizeof(int64_t));
    bool is_done = result && number && borders && open;
    if (is_done) {
        Py_BEGIN_ALLOW_THREADS
        fill(h, borders, find_borders(h, number, borders), open, found);
        Py_END_ALLOW_THREADS
    } else {
        Py_CLEAR(result);
    }
    free(number);
    free(borders);
    free(open);
    return result;
}

PyObject *heading_scores(PyObject *module, PyObject *arguments) {
    static const char *names[] = {"term", "unit", "headings", "first", "end", "group"};
    PyObject *objects[7], *result = NULL;
    Array arrays[7] = {0};
    Headings h = {0};
    long long n, n_groups;
    if (!PyArg_ParseTuple(
            arguments, "OOOOOOOLL", objects, objects + 1, objects + 2, objects + 3, objects + 4, objects + 5,
            objects + 6, &n_groups, &n))
        return NULL;
    bool is_grouped = objects[5] != Py_None;
    for (int number = 0; number < 5 + is_grouped; number++)
        if (!open_array(objects[number], INT64, arrays + number, names[number])) goto done;
    if (!open_array(objects[6], FLOAT64, arrays + 6, "of_terms")) goto done;
    h.term = VALUES(arrays[0], int64_t), h.unit = VALUES(arrays[1], int64_t), h.headings = VALUES(arrays[2], int64_t);
    h.first = VALUES(arrays[3], int64_t), h.end = VALUES(arrays[4], int64_t);
    h.group = is_grouped ? VALUES(arrays[5], int64_t) : NULL, h.of_terms = VALUES(arrays[6], double);
    h.n_pairs = arrays[0].n, h.n_headings = arrays[2].n, h.n = n, h.n_groups = n_groups;
    h.n_terms = n_groups > 0 ? arrays[6].n / n_groups : 0;
    if (fits(&h, arrays, n_groups)) result = weights_of(&h);
done:
    close_arrays(arrays, 7);
    return result;
}
