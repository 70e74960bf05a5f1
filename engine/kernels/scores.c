/* Sums over pairs of a term and a unit, by Okapi's frequency in text blocks (letter K), and the share of the query.

   The reference is `ElementScorer._scored` (engine/retrieval/scoring/element_scorer.py) without this kernel; operations
   on floating-point numbers are the same, in the same order. */
#include "kernels.h"

typedef struct {
    const int64_t *term, *unit, *tf, *group;  /* group: NULL where all units are in one */
    const double *words, *of_terms, *of_query;
    Py_ssize_t n_pairs, n_units;
    int64_t n_groups;
    double k1, b, block;
} Scoring;

static int64_t group_of(const Scoring *s, int64_t unit) { return s->group ? s->group[unit] : 0; }

static void add_up(const Scoring *s, double *sums, double *covered) {
    for (Py_ssize_t pair = 0; pair < s->n_pairs; pair++) {
        int64_t unit = s->unit[pair], place = s->term[pair] * s->n_groups + group_of(s, unit);
        double f = (double)s->tf[pair], length = s->words[unit] / s->block;
        double divisor = s->k1 * ((1 - s->b) + s->b * (length > 1.0 ? length : 1.0)) + f;
        double frequency = divisor != 0 ? (s->k1 + 1) * f / divisor : 0.0;
        sums[unit] += s->of_terms[place] * frequency;
        covered[unit] += s->of_terms[place];
    }
}

/* Turn the weight of the terms in each unit into a share of the query's weight, 0 to 1: terms may weigh less than 0. */
static void divide_by_query(const Scoring *s, double *covered) {
    for (Py_ssize_t unit = 0; unit < s->n_units; unit++) {
        double of_query = s->of_query[group_of(s, unit)];
        double share = of_query > 0 ? covered[unit] / of_query : 0.0;
        covered[unit] = share < 0.0 ? 0.0 : share < 1.0 ? share : 1.0;
    }
}

static bool fits(const Scoring *s, const Array *arrays) {
    Py_ssize_t n_terms = s->n_groups > 0 ? arrays[4].n / s->n_groups : 0;
    if (s->n_groups <= 0 || arrays[4].n != n_terms * s->n_groups || arrays[5].n != s->n_groups)
        return refuse("weights have other shapes than terms and groups");
    if (arrays[1].n != s->n_pairs || arrays[2].n != s->n_pairs) return refuse("columns of pairs differ in length");
    if (!all_below(s->term, s->n_pairs, n_terms) || !all_below(s->unit, s->n_pairs, s->n_units))
        return refuse("a pair is of no term, or of no unit");
    if (s->group && (arrays[6].n != s->n_units || !all_below(s->group, s->n_units, s->n_groups)))
        return refuse("a unit is in no group");
    return true;
}

PyObject *block_scores(PyObject *module, PyObject *arguments) {
    static const Type types[] = {{"lq", 8}, {"lq", 8}, {"lq", 8}, {"d", 8}, {"d", 8}, {"d", 8}, {"lq", 8}};
    static const char *names[] = {"term", "unit", "tf", "words", "of_terms", "of_query", "group"};
    PyObject *objects[7], *result = NULL;
    Array arrays[7] = {0};
    Scoring s = {0};
    if (!PyArg_ParseTuple(
            arguments, "OOOOOOOddd", objects, objects + 1, objects + 2, objects + 3, objects + 4, objects + 5,
            objects + 6, &s.k1, &s.b, &s.block))
        return NULL;
    bool is_grouped = objects[6] != Py_None;
    for (int number = 0; number < 6 + is_grouped; number++)
        if (!open_array(objects[number], types[number], arrays + number, names[number])) goto done;
    s.term = VALUES(arrays[0], int64_t), s.unit = VALUES(arrays[1], int64_t), s.tf = VALUES(arrays[2], int64_t);
    s.words = VALUES(arrays[3], double), s.of_terms = VALUES(arrays[4], double);
    s.of_query = VALUES(arrays[5], double), s.group = is_grouped ? VALUES(arrays[6], int64_t) : NULL;
    s.n_pairs = arrays[0].n, s.n_units = arrays[3].n, s.n_groups = arrays[5].n;
    if (!fits(&s, arrays)) goto done;
    double *sums;
    if (!(result = new_values(2 * s.n_units, 8, (void **)&sums))) goto done;
    Py_BEGIN_ALLOW_THREADS
    memset(sums, 0, (size_t)s.n_units * 2 * sizeof(double));
    add_up(&s, sums, sums + s.n_units);
    divide_by_query(&s, sums + s.n_units);
    Py_END_ALLOW_THREADS
done:
    close_arrays(arrays, 7);
    return result;
}
