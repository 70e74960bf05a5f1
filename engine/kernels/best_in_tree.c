/* The best elements without overlap, from what `weigh_in_tree` returned: context, what can be an answer, list filtering.

   The references are `score_in_context` (engine/retrieval/scoring/context_scores.py), `eligible_places`
   (engine/retrieval/scoring/eligibility.py), `score_candidates` (engine/retrieval/candidate_scores.py) and `select`
   (engine/retrieval/selection.py); operations on floating-point numbers are the same, in the same order. */
#include "kernels.h"
#include "counted_tree.h"
#include "selection.h"

typedef struct {
    const CountedTree *tree;
    const WeighedTree *weighed;
    const double *factors, *of_titles, *of_articles;  /* of shares (or NULL); of documents */
    const int64_t *articles;                          /* of documents: their places in the ranking */
    const uint8_t *is_fragment;                       /* of tags */
    Py_ssize_t n_tags;
    int drops_titles;
    double min_words, max_words, density;                     /* the expected density; 0 where it does not count */
    double of_parent, of_heading, of_neighbour, of_title;  /* weights */
} Context;

/* What elements score in themselves. */
static void score_alone(const Context *c, double *own) {
    const CountedTree *tree = c->tree;
    for (Py_ssize_t at = 0; at < tree->n; at++) {
        double score = c->weighed->sums[at];
        if (c->factors) score *= c->factors[c->weighed->shares[at]];
        if (c->density != 0) {
            const Entry *element = tree->elements + at;
            double density = (double)element->words / ((double)element->end - (double)element->row) / c->density;
            score *= density < 1.0 ? density : 1.0;
        }
        own[at] = score;
    }
}

/* Add what elements inherit, what is beside them, headings and titles. */
static void add_surroundings(const Context *c, const double *own, double *totals, double *of_neighbours) {
    const CountedTree *tree = c->tree;
    Py_ssize_t n = tree->n;
    memcpy(totals, own, (size_t)n * sizeof(double));
    for (Py_ssize_t at = 0; c->of_parent != 0 && at < n; at++) {
        int64_t parent = tree->parents[at];
        if (parent != at && !tree->is_root[parent]) totals[at] += c->of_parent * totals[parent];
    }
    memset(of_neighbours, 0, (size_t)n * sizeof(double));
    if (c->of_neighbour != 0) {
        for (Py_ssize_t at = 0; at < n; at++)
            if (tree->behind[at] >= 0) of_neighbours[tree->behind[at]] = own[at];
        for (Py_ssize_t at = 0; at < n; at++) {
            int64_t behind = tree->behind[at];
            if (behind >= 0 && own[behind] > of_neighbours[at]) of_neighbours[at] = own[behind];
        }
    }
    for (Py_ssize_t at = 0; at < n; at++) {
        double total = totals[at] + c->of_heading * c->weighed->of_headings[at] + c->of_neighbour * of_neighbours[at];
        totals[at] = total + c->of_title * (c->of_titles ? c->of_titles[tree->document[at]] : 0.0);
    }
}

static bool can_be_answer(const Context *c, Py_ssize_t at) {
    const Entry *element = c->tree->elements + at;
    if (c->drops_titles && element->is_mostly_titles) return false;
    if ((double)element->words > c->max_words) return false;
    return c->tree->is_root[at] || (!c->is_fragment[element->tag] && (double)element->words >= c->min_words);
}

/* Columns of the candidates: begins, ends and articles, then their scores; return how many there are. */
static Py_ssize_t find_candidates(const Context *c, const double *totals, int64_t *columns, double *scores) {
    const CountedTree *tree = c->tree;
    Py_ssize_t found = 0, n = tree->n;
    for (Py_ssize_t at = 0; at < n; at++) {
        if (!can_be_answer(c, at)) continue;
        columns[found] = tree->elements[at].row, columns[n + found] = tree->elements[at].end;
        columns[2 * n + found] = c->articles[tree->document[at]], columns[3 * n + found] = tree->elements[at].words;
        scores[found++] = totals[at] + c->of_articles[tree->document[at]];
    }
    return found;
}

static bool fits(const Context *c, const Array *arrays) {
    const CountedTree *tree = c->tree;
    if (c->factors && arrays[0].n != c->weighed->n_shares) return refuse("there are more shares than factors, or fewer");
    if ((c->of_titles && arrays[1].n != tree->n_documents) || arrays[2].n != tree->n_documents ||
        arrays[3].n != tree->n_documents)
        return refuse("columns of documents differ in length");
    for (Py_ssize_t at = 0; at < tree->n; at++)
        if (tree->elements[at].tag < 0 || tree->elements[at].tag >= c->n_tags) return refuse("an element has no tag");
    return true;
}

/* The rows, articles, ends and words of the best candidates, and their scores. */
static PyObject *best_of(const Context *c, Py_ssize_t n_first) {
    Py_ssize_t n = c->tree->n, n_best;
    int64_t *columns = memory(6 * n, sizeof(int64_t)), *numbers;
    double *values = memory(3 * n, sizeof(double)), *found;
    PyObject *of_numbers = NULL, *of_scores = NULL, *result = NULL;
    if (!columns || !values) goto done;
    double *own = values, *totals = values + n, *others = values + 2 * n;
    int64_t *places = columns + 4 * n;
    Py_BEGIN_ALLOW_THREADS
    score_alone(c, own);
    add_surroundings(c, own, totals, others);
    Py_ssize_t n_candidates = find_candidates(c, totals, columns, own);
    Candidates candidates = {columns, columns + n, columns + 2 * n, own, n_candidates};
    n_best = first_apart(&candidates, places, others, columns + 5 * n, n_first);
    Py_END_ALLOW_THREADS
    if (!(of_numbers = new_values(4 * n_best, 8, (void **)&numbers))) goto done;
    if (!(of_scores = new_values(n_best, 8, (void **)&found))) goto done;
    static const int order[] = {0, 2, 1, 3};
    for (int column = 0; column < 4; column++)
        for (Py_ssize_t at = 0; at < n_best; at++) *numbers++ = columns[order[column] * n + places[at]];
    for (Py_ssize_t at = 0; at < n_best; at++) found[at] = own[places[at]];
    result = Py_BuildValue("OO", of_numbers, of_scores);
done:
    Py_XDECREF(of_numbers);
    Py_XDECREF(of_scores);
    free(columns);
    free(values);
    return result;
}

PyObject *best_in_tree(PyObject *module, PyObject *arguments) {
    static const Type types[] = {{"d", 8}, {"d", 8}, {"lq", 8}, {"d", 8}, {"?", 1}};
    static const char *names[] = {"factors", "of_titles", "articles", "of_articles", "is_fragment"};
    PyObject *weighed, *objects[5], *result = NULL;
    Array arrays[5] = {0};
    Context c = {0};
    Py_ssize_t n_first;
    if (!PyArg_ParseTuple(
            arguments, "OOOOOOpdddddddn", &weighed, objects, objects + 1, objects + 2, objects + 3, objects + 4,
            &c.drops_titles, &c.min_words, &c.max_words, &c.density, &c.of_parent, &c.of_heading, &c.of_neighbour,
            &c.of_title, &n_first))
        return NULL;
    if (!(c.weighed = weighed_tree_of(weighed)) || !(c.tree = counted_tree_of(c.weighed->counted))) return NULL;
    for (int number = 0; number < 5; number++) {
        if (number < 2 && objects[number] == Py_None) continue;
        if (!open_array(objects[number], types[number], arrays + number, names[number])) goto done;
    }
    c.factors = arrays[0].values, c.of_titles = arrays[1].values, c.articles = arrays[2].values;
    c.of_articles = arrays[3].values, c.is_fragment = arrays[4].values, c.n_tags = arrays[4].n;
    if (fits(&c, arrays)) result = best_of(&c, n_first);
done:
    close_arrays(arrays, 5);
    return result;
}
