/* Sums over pairs of a term and a unit, by Okapi's frequency in text blocks (letter K), and the share of the query.

   Many units of a document contain the same terms, so they have the same share: it is returned once for most of them,
   and raised to a power once, which takes NumPy longer than all of this.

   The reference is `ElementScorer._scored` (engine/ranking/scoring/element_scorer.py) without this kernel; operations
   on floating-point numbers are the same, in the same order. */
#include "kernels.h"
#include "shares.h"

/* Places in a table of shares, by a hash of their bits. */
enum { SLOT_BITS = 12 };

typedef struct {
    const int64_t *term, *unit, *tf, *group;  /* group: NULL where all units are in one */
    const double *words, *of_terms, *of_query;
    Py_ssize_t n_pairs, n_units;
    int64_t n_groups;
    double k1, b, block;
} Scoring;

static int64_t group_of(const Scoring *s, int64_t unit) { return s->group ? s->group[unit] : 0; }

static bool add_up(const Scoring *s, double *sums, double *covered) {
    for (Py_ssize_t pair = 0; pair < s->n_pairs; pair++) {
        int64_t unit = s->unit[pair], place = s->term[pair] * s->n_groups + group_of(s, unit);
        double norm = norm_of(s->words[unit], s->k1, s->b, s->block);
        sums[unit] += s->of_terms[place] * frequency_of((double)s->tf[pair], s->k1, norm);
        covered[unit] += s->of_terms[place];
        if (is_over_at(pair, 3)) return false;
    }
    return true;
}

static bool divide_by_query(const Scoring *s, double *covered) {
    for (Py_ssize_t unit = 0; unit < s->n_units; unit++) {
        if (is_over_at(unit, 4)) return false;
        covered[unit] = share_of(covered[unit], s->of_query[group_of(s, unit)]);
    }
    return true;
}

/* Number the shares of all units, each share once while it is in the table; return how many there are, -1 where time is over. */
static Py_ssize_t number_shares(const double *shares, Py_ssize_t n_units, double *different, int64_t *numbers) {
    int64_t slots[1 << SLOT_BITS];
    memset(slots, -1, sizeof slots);
    Py_ssize_t n = 0;
    for (Py_ssize_t unit = 0; unit < n_units; unit++) {
        if (is_over_at(unit, 8)) return -1;
        uint64_t bits;
        memcpy(&bits, shares + unit, sizeof bits);
        int64_t *slot = slots + ((bits * 0x9e3779b97f4a7c15u) >> (64 - SLOT_BITS));
        if (*slot < 0 || memcmp(different + *slot, shares + unit, sizeof bits)) different[*slot = n++] = shares[unit];
        numbers[unit] = *slot;
    }
    return n;
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

PyObject *block_scores(PyObject *Py_UNUSED(module), PyObject *arguments) {
    static const Type types[] = {{"lq", 8}, {"lq", 8}, {"lq", 8}, {"d", 8}, {"d", 8}, {"d", 8}, {"lq", 8}};
    static const char *names[] = {"term", "unit", "tf", "words", "of_terms", "of_query", "group"};
    PyObject *objects[7], *of_units = NULL, *of_different = NULL, *of_shares = NULL, *result = NULL;
    double *shares = NULL;
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
    double *sums, *different;
    int64_t *numbers;
    Py_ssize_t n_different = 0;
    bool is_done;
    of_units = new_values(s.n_units, 8, (void **)&sums), of_shares = new_values(s.n_units, 8, (void **)&numbers);
    shares = memory(2 * s.n_units, sizeof(double));
    if (!of_units || !of_shares || !shares) goto done;
    Py_BEGIN_ALLOW_THREADS
    memset(sums, 0, (size_t)s.n_units * sizeof(double));
    memset(shares, 0, (size_t)s.n_units * sizeof(double));
    is_done = add_up(&s, sums, shares) && divide_by_query(&s, shares) &&
              (n_different = number_shares(shares, s.n_units, shares + s.n_units, numbers)) >= 0;
    Py_END_ALLOW_THREADS
    if (!is_done) {
        no_memory();
        goto done;
    }
    if (!(of_different = new_values(n_different, 8, (void **)&different))) goto done;
    memcpy(different, shares + s.n_units, (size_t)n_different * sizeof(double));
    result = Py_BuildValue("OOO", of_units, of_different, of_shares);
done:
    give_back(shares);
    Py_XDECREF(of_units);
    Py_XDECREF(of_different);
    Py_XDECREF(of_shares);
    close_arrays(arrays, 7);
    return result;
}
