/* The best documents by BM25: the parts of the terms added up, and the first of the list.

   A term may come twice, with its postings in documents and with those in their openings. The references are `scores`
   with `bm25_part` and `opening_part` (engine/similarity/presets.py) and `with_openings` and `best`
   (engine/ranking/articles.py); operations on floating-point numbers are the same, in the same order. */
#include "kernels.h"
#include "selection.h"

typedef struct {
    const Array *postings;  /* of each term: documents, frequencies */
    int n_terms;
    const double *weights, *k1, *b;  /* of terms */
    const double *lengths;           /* of documents */
    const int64_t *order;            /* of documents, by which ties are broken; NULL for their numbers */
    const uint8_t *kept;             /* of documents, which can be among the best; NULL for all */
    Py_ssize_t n_documents;
    double mean_length;
} Ranking;

/* Add up the parts of the terms in documents; false, with an error to be set, where a document is none, or time is over. */
static bool add_up(const Ranking *r, double *totals, uint8_t *is_found, bool *is_late) {
    for (int term = 0; term < r->n_terms; term++) {
        const int64_t *documents = VALUES(r->postings[2 * term], int64_t), *tf = VALUES(r->postings[2 * term + 1], int64_t);
        Py_ssize_t n = r->postings[2 * term].n;
        double k1 = r->k1[term], b = r->b[term];
        if (!all_below(documents, n, r->n_documents)) return false;
        for (Py_ssize_t at = 0; at < n; at++) {
            if ((*is_late = is_over_at(at, 2))) return false;
            int64_t document = documents[at];
            double length = k1 * ((1 - b) + b * r->lengths[document] / r->mean_length), f = (double)tf[at];
            totals[document] += r->weights[term] * f / (length + f);
            is_found[document] = 1;
        }
    }
    return true;
}

/* The columns of all kept documents that were found, ascending, and the highest score of any; return how many. */
static Py_ssize_t find(
    const Ranking *r, const double *totals, const uint8_t *is_found, int64_t *columns, double *scores, double *highest
) {
    Py_ssize_t n = 0;
    for (Py_ssize_t document = 0; document < r->n_documents; document++) {
        if (!is_found[document]) continue;
        if (totals[document] > *highest) *highest = totals[document];
        if (r->kept && !r->kept[document]) continue;
        columns[n] = document, columns[r->n_documents + n] = r->order ? r->order[document] : document;
        scores[n++] = totals[document];
    }
    return n;
}

/* The best documents, their scores, and the highest score of any. */
static PyObject *best_of(const Ranking *r, Py_ssize_t n_best) {
    Py_ssize_t n = r->n_documents, found = -1;
    double *values = zeroed_memory(2 * n, sizeof(double)), *scores;
    int64_t *columns = memory(3 * n, sizeof(int64_t)), *documents;
    uint8_t *is_found = zeroed_memory(n, 1);
    PyObject *of_documents = NULL, *of_scores = NULL, *result = NULL;
    if (!values || !columns || !is_found) goto done;
    int64_t *places = columns + 2 * n;
    double highest = 0;
    bool is_late = false;
    Py_BEGIN_ALLOW_THREADS
    if (add_up(r, values, is_found, &is_late)) {
        found = find(r, values, is_found, columns, values + n, &highest);
        for (Py_ssize_t at = 0; at < found; at++) places[at] = at;
        Candidates c = {columns, NULL, columns + n, values + n, found};
        found = first_in_order(&c, places, found, n_best);
        is_late = found < 0;
    }
    Py_END_ALLOW_THREADS
    if (found < 0) {
        if (is_late) no_memory();
        else refuse("a posting is of no document");
        goto done;
    }
    if (!(of_documents = new_values(found, 8, (void **)&documents))) goto done;
    if (!(of_scores = new_values(found, 8, (void **)&scores))) goto done;
    for (Py_ssize_t at = 0; at < found; at++)
        documents[at] = columns[places[at]], scores[at] = values[n + places[at]];
    result = Py_BuildValue("OOd", of_documents, of_scores, highest);
done:
    give_back(values);
    give_back(columns);
    give_back(is_found);
    Py_XDECREF(of_documents);
    Py_XDECREF(of_scores);
    return result;
}

PyObject *best_by_bm25(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *documents, *tf, *objects[6], *result = NULL;
    Array arrays[6] = {0}, *postings = NULL; /* weights, k1 and b of terms; lengths, order and mask of documents */
    Ranking r = {0};
    Py_ssize_t n_best;
    if (!PyArg_ParseTuple(
            arguments, "O!O!OOOOOOdn", &PyList_Type, &documents, &PyList_Type, &tf, objects, objects + 1, objects + 2,
            objects + 3, objects + 4, objects + 5, &r.mean_length, &n_best))
        return NULL;
    r.n_terms = (int)PyList_Size(documents);
    if (!(postings = zeroed_memory(2 * r.n_terms, sizeof(Array)))) return NULL;
    bool has_order = objects[4] != Py_None, has_mask = objects[5] != Py_None;
    if (!open_array(objects[0], FLOAT64, arrays, "weights") || !open_array(objects[1], FLOAT64, arrays + 1, "k1") ||
        !open_array(objects[2], FLOAT64, arrays + 2, "b") || !open_array(objects[3], FLOAT64, arrays + 3, "lengths") ||
        (has_order && !open_array(objects[4], INT64, arrays + 4, "order")) ||
        (has_mask && !open_array(objects[5], BOOL, arrays + 5, "kept")))
        goto done;
    for (int term = 0; term < r.n_terms; term++) {
        Array *of_term = postings + 2 * term;
        if (!open_array(PyList_GetItem(documents, term), INT64, of_term, "documents") ||
            !open_array(PyList_GetItem(tf, term), INT64, of_term + 1, "tf"))
            goto done;
        REFUSE_IF(of_term[0].n != of_term[1].n, "documents and frequencies of a term have different lengths");
    }
    r.postings = postings, r.weights = VALUES(arrays[0], double);
    r.k1 = VALUES(arrays[1], double), r.b = VALUES(arrays[2], double), r.lengths = VALUES(arrays[3], double);
    r.n_documents = arrays[3].n, r.order = has_order ? VALUES(arrays[4], int64_t) : NULL;
    r.kept = has_mask ? VALUES(arrays[5], uint8_t) : NULL;
    if (arrays[0].n != r.n_terms || arrays[1].n != r.n_terms || arrays[2].n != r.n_terms ||
        (has_order && arrays[4].n != r.n_documents) || (has_mask && arrays[5].n != r.n_documents))
        refuse("weights, k1 or b are not of the terms, or the order or the mask is not of the documents");
    else
        result = best_of(&r, n_best < 0 ? 0 : n_best);
done:
    close_arrays(arrays, 6);
    close_arrays(postings, 2 * r.n_terms);
    give_back(postings);
    return result;
}
