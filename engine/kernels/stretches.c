/* The most that elements in stretches of texts can score: sums over the terms there, for stretches of several lengths.

   A text is an array of stretches, the last one of them empty. Every two neighbouring ones are scored together, then the
   stretches are joined, some at a time, and scored again, as many times as there are lengths. The share of the query is
   raised to a power by NumPy, which takes longer than all of this: only what can be the highest then is returned.

   The reference is `_highest` (engine/ranking/scoring/element_bounds.py) without this kernel. */
#include "kernels.h"

/* Relative errors of powers and products are far below. */
static const double ROUNDING = 1e-9;

typedef struct {
    const Array *counts;  /* of each term: frequencies in stretches of documents that contain it, as bytes */
    const int64_t *begins;  /* of each term: the first of its stretches of each document that contains it */
    const int64_t *n_leaves;  /* of each document with each term */
    const double *of_terms, *weights, *of_query, *of_frequencies, *of_units;
    Py_ssize_t n_terms, n_documents, n_lengths, n_frequencies;
    int64_t joined, highest;  /* stretches that are joined into one; the highest frequency that is counted */
} Stretches;

static int64_t n_joined(const Stretches *s, int64_t n) { return (n - 1 + s->joined - 1) / s->joined + 1; }

/* A term of a document: its frequencies in stretches, what it adds to units with it. */
typedef struct {
    const uint8_t *tf;
    double of_term, weight;
} Term;

/* Scores by frequency, of units of some length. */
typedef struct {
    const double *scores;
    int most;  /* the last of the frequencies */
} ByFrequency;

/* Add a term to units, also where it is in none of them: 0 is faster added than found out. */
static inline void add_to_some(
    Term term, ByFrequency by, const uint8_t *tf, int n, double *restrict scores, double *restrict shares
) {
    for (int at = 0; at < n; at++) {
        int f = tf[at] + tf[at + 1];
        scores[at] += term.of_term * by.scores[f < by.most ? f : by.most];
        shares[at] += term.weight * (double)(f != 0);
    }
}

/* Add a term to all units but the last one, which has no stretch after it, eight at a time; most terms are rare. */
static void add_term(Term term, ByFrequency by, int64_t n, double *restrict scores, double *restrict shares) {
    int64_t at = 0;
    for (; at + 8 < n; at += 8) {
        uint64_t eight;
        memcpy(&eight, term.tf + at, 8);
        if (eight != 0 || term.tf[at + 8] != 0) add_to_some(term, by, term.tf + at, 8, scores + at, shares + at);
    }
    add_to_some(term, by, term.tf + at, (int)(n - 1 - at), scores + at, shares + at);
}

/* Score every two neighbouring stretches of a document; the last one has none after it, and no score. False where time is
   over. */
static bool score_all(
    const Stretches *s, Py_ssize_t document, Py_ssize_t length, const Term *terms, Py_ssize_t n_terms, int64_t n,
    double *scores, double *shares
) {
    memset(scores, 0, (size_t)n * sizeof(double));
    memset(shares, 0, (size_t)n * sizeof(double));
    ByFrequency by = {s->of_frequencies + length * s->n_frequencies, (int)s->n_frequencies - 1};
    for (Py_ssize_t term = 0; term < n_terms; term++) {
        if (is_over(n)) return false;
        add_term(terms[term], by, n, scores, shares);
    }
    double of_unit = s->of_units[length * s->n_documents + document], of_query = s->of_query[document];
    for (int64_t at = 0; at < n; at++) {
        scores[at] *= of_unit;
        double share = of_query != 0 ? shares[at] / of_query : 0.0;
        shares[at] = share > 1.0 ? 1.0 : share;
    }
    return true;
}

/* Join the stretches of a term, which may be in the place of the result. */
static void join(const Stretches *s, const uint8_t *tf, int64_t n, uint8_t *joined) {
    for (int64_t from = 0; from < n - 1; joined++) {
        int sum = 0;
        for (int64_t end = from + s->joined < n - 1 ? from + s->joined : n - 1; from < end; from++) sum += tf[from];
        *joined = (uint8_t)(sum < s->highest ? sum : s->highest);
    }
    *joined = 0;  /* the empty one */
}

/* Memory of one document: the terms that it contains, with their stretches, then with joined ones; scores
   and shares of all lengths, one after the other. */
typedef struct {
    Term *terms;
    uint8_t *joined;
    double *scores, *shares;
} Scratch;

/* Find the terms of a document; return how many. */
static Py_ssize_t find_terms(const Stretches *s, Py_ssize_t document, Term *terms) {
    Py_ssize_t n = 0;
    for (Py_ssize_t term = 0; term < s->n_terms; term++) {
        Py_ssize_t at = term * s->n_documents + document;
        if (s->n_leaves[at] != 0)
            terms[n++] = (Term){VALUES(s->counts[term], uint8_t) + s->begins[at], s->of_terms[at], s->weights[at]};
    }
    return n;
}

/* Return how many scores a document has, -1 where time is over. Once all of it is in one stretch, units of more words score no more. */
static Py_ssize_t score_document(const Stretches *s, Py_ssize_t document, int64_t n, Scratch *scratch) {
    int64_t apart = n_joined(s, n), n_scores = 0;
    Py_ssize_t n_terms = find_terms(s, document, scratch->terms);
    for (Py_ssize_t length = 0; length < s->n_lengths; length++) {
        if (length && n_joined(s, n) == n) break;
        for (Py_ssize_t term = 0; length && term < n_terms; term++) {
            join(s, scratch->terms[term].tf, n, scratch->joined + term * apart);
            scratch->terms[term].tf = scratch->joined + term * apart;
        }
        if (length) n = n_joined(s, n);
        double *scores = scratch->scores + n_scores, *shares = scratch->shares + n_scores;
        if (!score_all(s, document, length, scratch->terms, n_terms, n, scores, shares)) return -1;
        n_scores += n;
    }
    return n_scores;
}

/* Keep the scores of a document that can be the highest once they are multiplied by a power of their shares: the
   highest one, those with a larger share, and those that only rounding errors could put above it; return how many. */
static Py_ssize_t keep(const Scratch *scratch, Py_ssize_t n, double *scores, double *shares) {
    Py_ssize_t best = 0, n_kept = 0;
    for (Py_ssize_t at = 1; at < n; at++) {
        if (scratch->scores[at] > scratch->scores[best]) best = at;
    }
    double of_best = scratch->shares[best], nearly = scratch->scores[best] * (1 - ROUNDING);
    for (Py_ssize_t at = 0; at < n; at++)
        if (at == best || scratch->shares[at] > of_best || scratch->scores[at] >= nearly) {
            scores[n_kept] = scratch->scores[at];
            shares[n_kept++] = scratch->shares[at];
        }
    return n_kept;
}

/* The most that a document, and all of them, have of something. */
typedef struct {
    int64_t of_one, of_all;
} Sizes;

/* Find how many stretches and scores there are; return false where stretches are not those of the index. */
static bool measure(const Stretches *s, const int64_t *n, Sizes *stretches, Sizes *scores) {
    for (Py_ssize_t document = 0; document < s->n_documents; document++) {
        int64_t left = n[document], of_document = 0;
        if (left < 1 || left > INT32_MAX) return false;
        for (Py_ssize_t term = 0; term < s->n_terms; term++) {
            Py_ssize_t at = term * s->n_documents + document;
            if (s->n_leaves[at] != 0 && (s->begins[at] < 0 || s->begins[at] > s->counts[term].n - left)) return false;
        }
        if (left > stretches->of_one) stretches->of_one = left;
        stretches->of_all += left;
        for (Py_ssize_t length = 0; length < s->n_lengths; length++, left = n_joined(s, left)) of_document += left;
        if (of_document > scores->of_one) scores->of_one = of_document;
        scores->of_all += of_document;
    }
    return true;
}

static PyObject *scores_of(const Stretches *s, const int64_t *n) {
    Sizes stretches = {0}, sizes = {0};
    if (!measure(s, n, &stretches, &sizes)) return refuse("stretches are not those of the index"), NULL;
    int64_t *first;
    double *found;
    PyObject *of_documents = new_values(s->n_documents, 8, (void **)&first), *columns = NULL, *result = NULL;
    Scratch scratch = {
        .terms = memory(s->n_terms, sizeof(Term)), .joined = memory(n_joined(s, stretches.of_one) * s->n_terms, 1),
        .scores = memory(2 * sizes.of_one, sizeof(double))};
    double *kept = memory(2 * sizes.of_all, sizeof(double));
    Py_ssize_t n_kept = 0;
    bool is_late = false;
    if (!of_documents || !scratch.terms || !scratch.joined || !scratch.scores || !kept) goto done;
    scratch.shares = scratch.scores + sizes.of_one;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t document = 0; document < s->n_documents; document++) {
        Py_ssize_t n_scores = score_document(s, document, n[document], &scratch);
        if ((is_late = n_scores < 0)) break;
        first[document] = n_kept;
        n_kept += keep(&scratch, n_scores, kept + n_kept, kept + sizes.of_all + n_kept);
    }
    Py_END_ALLOW_THREADS
    if (is_late) {
        no_memory();
        goto done;
    }
    if (!(columns = new_values(2 * n_kept, 8, (void **)&found))) goto done;
    memcpy(found, kept, (size_t)n_kept * sizeof(double));
    memcpy(found + n_kept, kept + sizes.of_all, (size_t)n_kept * sizeof(double));
    result = Py_BuildValue("OO", columns, of_documents);
done:
    give_back(scratch.terms);
    give_back(scratch.joined);
    give_back(scratch.scores);
    give_back(kept);
    Py_XDECREF(columns);
    Py_XDECREF(of_documents);
    return result;
}

static bool fits(const Stretches *s, const Array *arrays) {
    Py_ssize_t n_weights = s->n_terms * s->n_documents;
    if (s->joined < 2 || s->n_lengths < 1 || s->n_frequencies < 1 || s->highest < 0 || s->highest > 255)
        return refuse("no lengths, or no frequencies");
    if (arrays[0].n != n_weights || arrays[2].n != n_weights || arrays[3].n != n_weights ||
        arrays[4].n != n_weights || arrays[5].n != s->n_documents ||
        arrays[6].n != s->n_lengths * s->n_frequencies || arrays[7].n != s->n_lengths * s->n_documents)
        return refuse("weights have other shapes than terms, documents and lengths");
    return true;
}

PyObject *stretch_scores(PyObject *Py_UNUSED(module), PyObject *arguments) {
    static const Type types[] = {{"lq", 8}, {"lq", 8}, {"lq", 8}, {"d", 8}, {"d", 8}, {"d", 8}, {"d", 8}, {"d", 8}};
    static const char *names[] = {
        "begins", "n", "n_leaves", "of_terms", "weights", "of_query", "of_frequencies", "of_units"};
    PyObject *list, *objects[8], *result = NULL;
    Array arrays[8] = {0}, *counts = NULL;
    long long n_lengths, joined, highest;
    if (!PyArg_ParseTuple(
            arguments, "O!OOOOOOOOLLL", &PyList_Type, &list, objects, objects + 1, objects + 2, objects + 3, objects + 4,
            objects + 5, objects + 6, objects + 7, &n_lengths, &joined, &highest))
        return NULL;
    int n_terms = (int)PyList_Size(list);
    if (!(counts = zeroed_memory(n_terms, sizeof(Array)))) return NULL;
    for (int term = 0; term < n_terms; term++)
        if (!open_array(PyList_GetItem(list, term), UINT8, counts + term, "counts")) goto done;
    for (int number = 0; number < 8; number++)
        if (!open_array(objects[number], types[number], arrays + number, names[number])) goto done;
    Stretches s = {
        .counts = counts, .begins = VALUES(arrays[0], int64_t), .n_leaves = VALUES(arrays[2], int64_t), .of_terms = VALUES(arrays[3], double),
        .weights = VALUES(arrays[4], double), .of_query = VALUES(arrays[5], double),
        .of_frequencies = VALUES(arrays[6], double), .of_units = VALUES(arrays[7], double), .n_terms = n_terms,
        .n_documents = arrays[1].n, .n_lengths = n_lengths,
        .n_frequencies = n_lengths > 0 ? arrays[6].n / n_lengths : 0, .joined = joined, .highest = highest};
    if (fits(&s, arrays)) result = scores_of(&s, VALUES(arrays[1], int64_t));
done:
    close_arrays(counts, n_terms);
    close_arrays(arrays, 8);
    give_back(counts);
    return result;
}
