/* The best elements without overlap, from what `weigh_in_tree` returned: context, what can be an answer, list filtering.

   The references are `score_in_context` (engine/ranking/scoring/context_scores.py), `eligible_places`
   (engine/ranking/eligibility/eligibility.py), `score_candidates` (engine/ranking/candidate_scores.py) and `select`
   (engine/ranking/selection/selection.py); operations on floating-point numbers are the same, in the same order. */
#include "kernels.h"
#include "counted_tree.h"
#include "selection.h"
#include <math.h>

typedef struct {
    const CountedTree *tree;
    const WeighedTree *weighed;
    const double *factors, *of_articles;  /* of shares (or NULL); of documents */
    const int64_t *articles;              /* of documents: their places in the ranking */
    const uint8_t *is_fragment;           /* of tags */
    Py_ssize_t n_tags;
    int drops_titles;
    double min_words, max_words;
    double of_parent, of_heading, of_neighbour;  /* weights */
} Context;

/* A part of the score of an element, times the factor for the share of the query that the element contains. */
static inline double covered(const Context *c, Py_ssize_t at, double part) {
    return c->factors ? part * c->factors[c->weighed->shares[at]] : part;
}

/* What an element scores in itself. */
static inline double score_alone(const Context *c, Py_ssize_t at) {
    return covered(c, at, c->weighed->sums[at]);
}

/* What elements score in themselves, and with what they inherit; of what is beside them, the one before. */
static void score_with_ancestors(const Context *c, double *own, double *totals, double *of_neighbours) {
    const CountedTree *tree = c->tree;
    memset(of_neighbours, 0, (size_t)tree->n * sizeof(double));
    for (Py_ssize_t at = 0; at < tree->n; at++) {
        double score = own[at] = totals[at] = score_alone(c, at);
        int64_t parent = tree->parents[at];
        if (c->of_parent != 0 && parent != at && !tree->is_root[parent]) totals[at] += c->of_parent * totals[parent];
        if (c->of_neighbour != 0 && tree->behind[at] >= 0) of_neighbours[tree->behind[at]] = score;
    }
}

static bool can_be_answer(const Context *c, Py_ssize_t at) {
    const Element *element = c->tree->elements + at;
    if (c->drops_titles && element->is_mostly_titles) return false;
    if ((double)element->words > c->max_words) return false;
    return c->tree->is_root[at] || (!c->is_fragment[element->tag] && (double)element->words >= c->min_words);
}

/* Add what is beside the elements of a document, headings and the article; the best score of a candidate. */
static double add_surroundings(
    const Context *c, Py_ssize_t document, const double *own, double *totals, const double *of_neighbours
) {
    const CountedTree *tree = c->tree;
    double best = -INFINITY;
    for (Py_ssize_t at = tree->first_element[document]; at < tree->first_element[document + 1]; at++) {
        double beside = of_neighbours[at];
        int64_t behind = tree->behind[at];
        if (c->of_neighbour != 0 && behind >= 0 && own[behind] > beside) beside = own[behind];
        double of_headings = covered(c, at, c->weighed->of_headings[at]);
        double total = totals[at] + c->of_heading * of_headings + c->of_neighbour * beside;
        totals[at] = total + c->of_articles[document];
        if (totals[at] > best && can_be_answer(c, at)) best = totals[at];
    }
    return best;
}

/* The last of the `n_first` highest values, which are left in `heap`, the lowest at its top; -inf of fewer values. */
static double last_of_first(const double *values, Py_ssize_t n, Py_ssize_t n_first, double *heap) {
    if (n_first < 1 || n < n_first) return -INFINITY;
    for (Py_ssize_t at = 0; at < n; at++) {
        Py_ssize_t place = at;
        if (at < n_first) {
            for (; place && heap[(place - 1) / 2] > values[at]; place = (place - 1) / 2) heap[place] = heap[(place - 1) / 2];
        } else {
            if (values[at] <= heap[0]) continue;
            place = 0;
            for (Py_ssize_t child; (child = 2 * place + 1) < n_first; place = child) {
                if (child + 1 < n_first && heap[child + 1] < heap[child]) child++;
                if (heap[child] >= values[at]) break;
                heap[place] = heap[child];
            }
        }
        heap[place] = values[at];
    }
    return heap[0];
}

/* Columns of the candidates of a document: begins, ends, articles and words, then their scores. */
static Py_ssize_t append_candidates(
    const Context *c, Py_ssize_t document, const double *totals, int64_t *columns, double *scores, Py_ssize_t found
) {
    const CountedTree *tree = c->tree;
    Py_ssize_t n = tree->n;
    for (Py_ssize_t at = tree->first_element[document]; at < tree->first_element[document + 1]; at++) {
        if (!can_be_answer(c, at)) continue;
        columns[found] = tree->elements[at].row, columns[n + found] = tree->elements[at].end;
        columns[2 * n + found] = c->articles[document], columns[3 * n + found] = tree->elements[at].words;
        scores[found++] = totals[at];
    }
    return found;
}

/* The candidates of all documents that can have one of the first answers.

   The best candidate of a document, or one around it with the same score, is never left out as overlap. So the last of
   the first answers scores no less than the best of the document whose best is the last of the first ones. */
static Py_ssize_t find_candidates(
    const Context *c, Py_ssize_t n_first, double *values, double *best, double *heap, int64_t *columns
) {
    const CountedTree *tree = c->tree;
    Py_ssize_t found = 0, n_documents = tree->n_documents;
    double *own = values, *totals = values + tree->n, *of_neighbours = values + 2 * tree->n;
    score_with_ancestors(c, own, totals, of_neighbours);
    for (Py_ssize_t document = 0; document < n_documents; document++)
        best[document] = add_surroundings(c, document, own, totals, of_neighbours);
    double lowest = last_of_first(best, n_documents, n_first, heap);
    for (Py_ssize_t document = 0; document < n_documents; document++)
        if (best[document] >= lowest) found = append_candidates(c, document, totals, columns, own, found);
    return found;
}

static bool fits(const Context *c, const Array *arrays) {
    const CountedTree *tree = c->tree;
    if (c->factors && arrays[0].n != c->weighed->n_shares) return refuse("there are more shares than factors, or fewer");
    if (arrays[1].n != tree->n_documents || arrays[2].n != tree->n_documents)
        return refuse("columns of documents differ in length");
    for (Py_ssize_t at = 0; at < tree->n; at++)
        if (tree->elements[at].tag < 0 || tree->elements[at].tag >= c->n_tags) return refuse("an element has no tag");
    return true;
}

/* The rows, articles, ends and words of the best candidates, and their scores. */
static PyObject *best_of(const Context *c, Py_ssize_t n_first) {
    Py_ssize_t n = c->tree->n, n_best;
    int64_t *columns = memory(6 * n, sizeof(int64_t)), *numbers;
    Py_ssize_t n_documents = c->tree->n_documents;
    double *values = memory(3 * n, sizeof(double)), *best = memory(2 * n_documents, sizeof(double)), *found;
    PyObject *of_numbers = NULL, *of_scores = NULL, *result = NULL;
    if (!columns || !values || !best) goto done;
    double *own = values;
    int64_t *places = columns + 4 * n;
    Py_BEGIN_ALLOW_THREADS
    Py_ssize_t n_candidates = find_candidates(c, n_first, values, best, best + n_documents, columns);
    Candidates candidates = {columns, columns + n, columns + 2 * n, own, n_candidates};
    n_best = first_apart(&candidates, places, values + 2 * n, columns + 5 * n, n_first);
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
    free(best);
    return result;
}

PyObject *best_in_tree(PyObject *module, PyObject *arguments) {
    static const Type types[] = {{"d", 8}, {"lq", 8}, {"d", 8}, {"?", 1}};
    static const char *names[] = {"factors", "articles", "of_articles", "is_fragment"};
    PyObject *weighed, *objects[4], *result = NULL;
    Array arrays[4] = {0};
    Context c = {0};
    Py_ssize_t n_first;
    if (!PyArg_ParseTuple(
            arguments, "OOOOOpdddddn", &weighed, objects, objects + 1, objects + 2, objects + 3, &c.drops_titles,
            &c.min_words, &c.max_words, &c.of_parent, &c.of_heading, &c.of_neighbour, &n_first))
        return NULL;
    if (!(c.weighed = weighed_tree_of(weighed)) || !(c.tree = counted_tree_of(c.weighed->counted))) return NULL;
    for (int number = 0; number < 4; number++) {
        if (number < 1 && objects[number] == Py_None) continue;
        if (!open_array(objects[number], types[number], arrays + number, names[number])) goto done;
    }
    c.factors = arrays[0].values, c.articles = arrays[1].values, c.of_articles = arrays[2].values;
    c.is_fragment = arrays[3].values, c.n_tags = arrays[3].n;
    if (fits(&c, arrays)) result = best_of(&c, n_first);
done:
    close_arrays(arrays, 4);
    return result;
}
