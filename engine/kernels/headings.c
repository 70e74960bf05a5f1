/* The weight of the distinct terms in the headings whose scope an element is in, for all elements.

   The reference is `heading_scores` (engine/ranking/parts/headings.py) without this kernel. */
#include "kernels.h"

/* A scope begins or ends at an element, with a term of its heading. */
typedef struct {
    int32_t term, change;
} Border;

typedef struct {
    const int64_t *term, *unit, *headings, *first, *end, *group;
    const double *of_terms;
    Py_ssize_t n_pairs, n_headings, n_terms;
    int64_t n, n_groups;
} Headings;

/* The terms in headings, twice: where the scope of the heading begins, and where it ends; those of one place together.

   `ends`, of n + 2 zeros, becomes the end of those of each place among the borders; `number` holds n places. */
static bool find_borders(const Headings *h, int32_t *number, Py_ssize_t *ends, Border *borders) {
    memset(number, 0, (size_t)h->n * sizeof(int32_t));
    for (Py_ssize_t heading = 0; heading < h->n_headings; heading++) number[h->headings[heading]] = (int32_t)heading + 1;
    Py_ssize_t *begins = ends + 1; /* of each place, until its borders are there */
    for (Py_ssize_t pair = 0; pair < h->n_pairs; pair++) {
        int32_t heading = number[h->unit[pair]] - 1;
        if (is_over_at(pair, 3)) return false;
        if (heading >= 0) begins[h->first[heading]]++, begins[h->end[heading]]++;
    }
    Py_ssize_t n = 0;
    for (Py_ssize_t place = 0; place <= h->n; place++) {
        Py_ssize_t n_here = begins[place];
        begins[place] = n;
        n += n_here;
    }
    for (Py_ssize_t pair = 0; pair < h->n_pairs; pair++) {
        int32_t heading = number[h->unit[pair]] - 1;
        if (is_over_at(pair, 3)) return false;
        if (heading < 0) continue;
        borders[begins[h->first[heading]]++] = (Border){(int32_t)h->term[pair], 1};
        borders[begins[h->end[heading]]++] = (Border){(int32_t)h->term[pair], -1};
    }
    return true;
}

/* Between two borders all elements are in the same scopes; their terms are added in the order of the terms. */
static bool fill(const Headings *h, const Border *borders, const Py_ssize_t *ends, int64_t *open, double *found) {
    double weight = 0.0;
    memset(open, 0, (size_t)h->n_terms * sizeof(int64_t));
    for (Py_ssize_t place = 0, at = 0; place < h->n; place++) {
        if (is_over_at(place, 2)) return false;
        if (at < ends[place + 1]) {
            for (; at < ends[place + 1]; at++) open[borders[at].term] += borders[at].change;
            int64_t group = h->group ? h->group[place] : 0;
            weight = 0.0;
            if (is_over(h->n_terms)) return false;
            for (Py_ssize_t term = 0; term < h->n_terms; term++)
                if (open[term] > 0) weight += h->of_terms[term * h->n_groups + group];
        }
        found[place] = weight;
    }
    return true;
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
    Py_ssize_t *ends = zeroed_memory(h->n + 2, sizeof(Py_ssize_t));
    Border *borders = memory(2 * h->n_pairs, sizeof(Border));
    int64_t *open = memory(h->n_terms, sizeof(int64_t));
    bool is_done = result && number && ends && borders && open;
    if (is_done) {
        Py_BEGIN_ALLOW_THREADS
        is_done = find_borders(h, number, ends, borders) && fill(h, borders, ends, open, found);
        Py_END_ALLOW_THREADS
        if (!is_done) no_memory();
    }
    if (!is_done) Py_CLEAR(result);
    give_back(number);
    give_back(ends);
    give_back(borders);
    give_back(open);
    return result;
}

PyObject *heading_scores(PyObject *Py_UNUSED(module), PyObject *arguments) {
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
