/* The most that elements in stretches of texts can score: sums over the terms there, for stretches of several lengths.

   A text is an array of stretches, the last one of them empty. Every two neighbouring ones are scored together, then the
   stretches are joined, some at a time, and scored again, as many times as there are lengths.

   The reference is `_highest` (engine/retrieval/scoring/element_bounds.py) without this kernel. */
#include "kernels.h"

typedef struct {
    const Array *counts;  /* of each term: frequencies in all stretches of the index, as bytes */
    const double *of_terms, *weights, *of_query, *of_frequencies, *of_units;
    Py_ssize_t n_terms, n_documents, n_lengths, n_frequencies;
    int64_t joined, highest;  /* stretches that are joined into one; the highest frequency that is counted */
} Stretches;

static int64_t n_joined(const Stretches *s, int64_t n) { return (n - 1 + s->joined - 1) / s->joined + 1; }

/* What a term of a document adds to units of two neighbouring stretches. */
typedef struct {
    const double *of_frequencies;
    double of_term, weight;
    int most;  /* the last of the frequencies */
    double *scores, *shares;
} Adding;

/* Add a term to eight units or fewer, also where it is in none of them: 0 is faster added than found out. */
static void add_to_some(const Adding *a, const uint8_t *tf, int64_t first, int64_t end) {
    for (int64_t at = first; at < end; at++) {
        int f = tf[at] + tf[at + 1];
        a->scores[at] += a->of_term * a->of_frequencies[f < a->most ? f : a->most];
        a->shares[at] += a->weight * (double)(f != 0);
    }
}

/* Add a term to all units but the last one, which has no stretch after it; most terms are rare. */
static void add_term(const Adding *a, const uint8_t *tf, int64_t n) {
    for (int64_t at = 0; at + 1 < n; at += 8) {
        int64_t end = at + 8 < n ? at + 8 : n - 1;
        uint64_t eight = 1;
        if (at + 8 < n) memcpy(&eight, tf + at, 8);
        if (eight != 0 || tf[at + 8] != 0) add_to_some(a, tf, at, end);
    }
}

/* Score every two neighbouring stretches of a document; the last one has none after it, and no score. */
static void score_all(
    const Stretches *s, Py_ssize_t document, Py_ssize_t length, const uint8_t *const *tf, int64_t n, double *scores,
    double *shares
) {
    memset(scores, 0, (size_t)n * sizeof(double));
    memset(shares, 0, (size_t)n * sizeof(double));
    Adding adding = {
        .of_frequencies = s->of_frequencies + length * s->n_frequencies, .most = s->n_frequencies - 1, .scores = scores,
        .shares = shares};
    for (Py_ssize_t term = 0; term < s->n_terms; term++) {
        adding.of_term = s->of_terms[term * s->n_documents + document];
        adding.weight = s->weights[term * s->n_documents + document];
        add_term(&adding, tf[term], n);
    }
    double of_unit = s->of_units[length * s->n_documents + document], of_query = s->of_query[document];
    for (int64_t at = 0; at < n; at++) {
        scores[at] *= of_unit;
        double share = of_query != 0 ? shares[at] / of_query : 0.0;
        shares[at] = share > 1.0 ? 1.0 : share;
    }
}

/* Join the stretches of a term, which may be in the place of the result; return how many there are then. */
static int64_t join(const Stretches *s, const uint8_t *tf, int64_t n, uint8_t *joined) {
    int64_t n_after = n_joined(s, n);
    for (int64_t to = 0; to < n_after; to++) {
        int64_t sum = 0, end = (to + 1) * s->joined < n ? (to + 1) * s->joined : n;
        for (int64_t from = to * s->joined; from < end; from++) sum += tf[from];
        joined[to] = (uint8_t)(sum < s->highest ? sum : s->highest);
    }
    return n_after;
}

/* Memory of one document: the stretches of each term, at first those of the index, then joined ones. */
typedef struct {
    const uint8_t **tf;
    uint8_t *joined;
} Scratch;

static void score_document(
    const Stretches *s, Py_ssize_t document, int64_t begin, int64_t n, Scratch *scratch, double *scores, double *shares
) {
    int64_t apart = n_joined(s, n);
    for (Py_ssize_t term = 0; term < s->n_terms; term++) scratch->tf[term] = VALUES(s->counts[term], uint8_t) + begin;
    for (Py_ssize_t length = 0; length < s->n_lengths; length++) {
        if (length) {
            int64_t n_before = n;
            for (Py_ssize_t term = 0; term < s->n_terms; term++) {
                n = join(s, scratch->tf[term], n_before, scratch->joined + term * apart);
                scratch->tf[term] = scratch->joined + term * apart;
            }
            if (!s->n_terms) n = n_joined(s, n_before);
        }
        score_all(s, document, length, scratch->tf, n, scores, shares);
        scores += n, shares += n;
    }
}

/* How many scores all documents have, and where those of each begin; -1 where stretches are not those of the index. */
static Py_ssize_t lay_out(const Stretches *s, const int64_t *begins, const int64_t *n, int64_t *first, int64_t *most) {
    Py_ssize_t total = 0;
    *most = 0;
    for (Py_ssize_t document = 0; document < s->n_documents; document++) {
        int64_t left = n[document];
        if (left < 1 || begins[document] < 0 || left > INT32_MAX) return -1;
        for (Py_ssize_t term = 0; term < s->n_terms; term++)
            if (begins[document] > s->counts[term].n - left) return -1;
        if (left > *most) *most = left;
        first[document] = total;
        for (Py_ssize_t length = 0; length < s->n_lengths; length++, left = n_joined(s, left)) total += left;
    }
    return total;
}

static PyObject *scores_of(const Stretches *s, const int64_t *begins, const int64_t *n) {
    int64_t *first, most;
    double *scores;
    Scratch scratch = {0};
    PyObject *of_documents = new_values(s->n_documents, 8, (void **)&first), *found = NULL, *result = NULL;
    if (!of_documents) return NULL;
    Py_ssize_t total = lay_out(s, begins, n, first, &most);
    if (total < 0) {
        refuse("stretches are not those of the index");
        goto done;
    }
    scratch.tf = memory(s->n_terms, sizeof(uint8_t *));
    scratch.joined = memory(n_joined(s, most) * s->n_terms, 1);
    if (!scratch.tf || !scratch.joined) goto done;
    if (!(found = new_values(2 * total, 8, (void **)&scores))) goto done;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t document = 0; document < s->n_documents; document++) {
        double *of_document = scores + first[document];
        score_document(s, document, begins[document], n[document], &scratch, of_document, of_document + total);
    }
    Py_END_ALLOW_THREADS
    result = Py_BuildValue("OO", found, of_documents);
done:
    free((void *)scratch.tf);
    free(scratch.joined);
    Py_XDECREF(found);
    Py_DECREF(of_documents);
    return result;
}

static bool fits(const Stretches *s, const Array *arrays) {
    Py_ssize_t n_weights = s->n_terms * s->n_documents;
    if (s->joined < 2 || s->n_lengths < 1 || s->n_frequencies < 1 || s->highest < 0 || s->highest > 255)
        return refuse("no lengths, or no frequencies");
    if (arrays[1].n != s->n_documents || arrays[2].n != n_weights || arrays[3].n != n_weights ||
        arrays[4].n != s->n_documents || arrays[5].n != s->n_lengths * s->n_frequencies ||
        arrays[6].n != s->n_lengths * s->n_documents)
        return refuse("weights have other shapes than terms, documents and lengths");
    return true;
}

PyObject *stretch_scores(PyObject *module, PyObject *arguments) {
    static const Type types[] = {{"lq", 8}, {"lq", 8}, {"d", 8}, {"d", 8}, {"d", 8}, {"d", 8}, {"d", 8}};
    static const char *names[] = {"begins", "n", "of_terms", "weights", "of_query", "of_frequencies", "of_units"};
    PyObject *list, *objects[7], *result = NULL;
    Array arrays[7] = {0}, *counts = NULL;
    long long n_lengths, joined, highest;
    if (!PyArg_ParseTuple(
            arguments, "O!OOOOOOOLLL", &PyList_Type, &list, objects, objects + 1, objects + 2, objects + 3, objects + 4,
            objects + 5, objects + 6, &n_lengths, &joined, &highest))
        return NULL;
    int n_terms = (int)PyList_Size(list);
    if (!(counts = zeroed_memory(n_terms, sizeof(Array)))) return NULL;
    for (int term = 0; term < n_terms; term++)
        if (!open_array(PyList_GetItem(list, term), UINT8, counts + term, "counts")) goto done;
    for (int number = 0; number < 7; number++)
        if (!open_array(objects[number], types[number], arrays + number, names[number])) goto done;
    Stretches s = {
        .counts = counts, .of_terms = VALUES(arrays[2], double), .weights = VALUES(arrays[3], double),
        .of_query = VALUES(arrays[4], double), .of_frequencies = VALUES(arrays[5], double),
        .of_units = VALUES(arrays[6], double), .n_terms = n_terms, .n_documents = arrays[0].n, .n_lengths = n_lengths,
        .n_frequencies = n_lengths > 0 ? arrays[5].n / n_lengths : 0, .joined = joined, .highest = highest};
    if (fits(&s, arrays)) result = scores_of(&s, VALUES(arrays[0], int64_t), VALUES(arrays[1], int64_t));
done:
    close_arrays(counts, n_terms);
    close_arrays(arrays, 7);
    free(counts);
    return result;
}
