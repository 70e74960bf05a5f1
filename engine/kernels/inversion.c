/* Words of some documents become postings: a stable sort by term, then the borders of documents and leaves.

   The reference is `_postings` (engine/indexing/workers/inversion.py) without this kernel. */
#include "kernels.h"

/* Columns of the result. */
enum { DOCUMENTS, TF, N_LEAVES, LEAVES, LEAF_TF, POSITIONS, N_COLUMNS };

typedef struct {
    const int32_t *terms;   /* of words, negative for stop words */
    const int64_t *rank;    /* of terms: their place in the order of the alphabet */
    const int64_t *leaf;    /* of words: a row */
    const int64_t *first;   /* of rows: the first word */
    const int64_t *roots;   /* of documents: the first row */
    const int32_t *document; /* of rows */
    Py_ssize_t n_words, n_terms;
} Input;

/* Fill the columns, in which there is room, and the borders of the terms in them; `n` are the rows of each level. */
static void write_postings(
    const Input *from, int64_t *ordered, int64_t *const *columns, int64_t *const *borders, Py_ssize_t *n
) {
    int64_t *ends = borders[2]; /* of the words of each term, one place later than in the result */
    memset(ends, 0, (size_t)(from->n_terms + 1) * sizeof(int64_t));
    for (Py_ssize_t word = 0; word < from->n_words; word++)
        if (from->terms[word] >= 0) ends[from->rank[from->terms[word]] + 1]++;
    for (Py_ssize_t term = 0; term < from->n_terms; term++) ends[term + 1] += ends[term];
    for (Py_ssize_t word = 0; word < from->n_words; word++)
        if (from->terms[word] >= 0) ordered[ends[from->rank[from->terms[word]]]++] = word;
    Py_ssize_t n_postings = 0, n_leaves = 0, place = 0;
    for (Py_ssize_t term = 0; term < from->n_terms; term++) {
        int64_t last_leaf = -1, last_document = -1;
        borders[0][term] = n_postings;
        borders[1][term] = n_leaves;
        for (; place < ends[term]; place++) {
            int64_t word = ordered[place], leaf = from->leaf[word], document = last_document;
            if (leaf != last_leaf) {
                document = from->document[leaf];
                if (document != last_document) {
                    columns[DOCUMENTS][n_postings] = last_document = document;
                    columns[TF][n_postings] = columns[N_LEAVES][n_postings] = 0;
                    n_postings++;
                }
                columns[LEAVES][n_leaves] = leaf - from->roots[document];
                columns[LEAF_TF][n_leaves] = 0;
                columns[N_LEAVES][n_postings - 1]++;
                n_leaves++;
                last_leaf = leaf;
            }
            columns[TF][n_postings - 1]++;
            columns[LEAF_TF][n_leaves - 1]++;
            columns[POSITIONS][place] = word - from->first[leaf];
        }
    }
    borders[0][from->n_terms] = n[0] = n_postings;
    borders[1][from->n_terms] = n[1] = n_leaves;
    n[2] = place;
    memmove(ends + 1, ends, (size_t)from->n_terms * sizeof(int64_t));
    ends[0] = 0;
}

static void documents_of_rows(const int64_t *roots, Py_ssize_t n_documents, int32_t *found) {
    for (Py_ssize_t document = 0; document < n_documents; document++)
        for (int64_t row = roots[document]; row < roots[document + 1]; row++) found[row] = (int32_t)document;
}

static bool fits(const Array *arrays, const Input *from, Py_ssize_t n_rows, Py_ssize_t n_roots) {
    bool is_right = arrays[2].n == from->n_words && n_rows >= 0 && n_roots >= 1 && n_roots <= INT32_MAX;
    if (!is_right || !all_below(from->leaf, from->n_words, n_rows)) return false;
    for (Py_ssize_t word = 0; word < from->n_words; word++) is_right &= from->terms[word] < (int64_t)arrays[1].n;
    for (Py_ssize_t root = 1; root < n_roots; root++) is_right &= from->roots[root - 1] <= from->roots[root];
    is_right &= from->roots[0] == 0 && from->roots[n_roots - 1] == n_rows;
    return is_right;
}

PyObject *invert_words(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[5], *result = NULL, *made[N_COLUMNS + 3] = {0};
    Array arrays[5] = {0};
    const char *names[] = {"terms", "rank", "leaves", "first words", "roots"};
    int64_t *ordered = NULL, *columns[N_COLUMNS], *borders[3];
    int32_t *documents = NULL;
    Py_ssize_t n_terms, n[3];
    if (!PyArg_ParseTuple(arguments, "OOOOOn", objects, objects + 1, objects + 2, objects + 3, objects + 4, &n_terms))
        return NULL;
    for (int number = 0; number < 5; number++)
        if (!open_array(objects[number], number ? INT64 : INT32, arrays + number, names[number])) goto done;
    Input from = {
        arrays[0].values, arrays[1].values, arrays[2].values, arrays[3].values, arrays[4].values, NULL, arrays[0].n,
        n_terms};
    Py_ssize_t n_rows = arrays[3].n - 1;
    bool is_right = n_terms >= 0 && fits(arrays, &from, n_rows, arrays[4].n);
    for (Py_ssize_t word = 0; is_right && word < from.n_words; word++)
        is_right = from.terms[word] < 0 || (uint64_t)from.rank[from.terms[word]] < (uint64_t)n_terms;
    REFUSE_IF(!is_right, "words, terms, leaves and documents do not fit together");
    if (!(ordered = memory(from.n_words, sizeof(int64_t))) || !(documents = memory(n_rows, sizeof(int32_t)))) goto done;
    for (int number = 0; number < N_COLUMNS + 3; number++) {
        void *values;
        if (!(made[number] = new_values(number < N_COLUMNS ? from.n_words : n_terms + 1, sizeof(int64_t), &values)))
            goto done;
        if (number < N_COLUMNS) columns[number] = values;
        else borders[number - N_COLUMNS] = values;
    }
    Py_BEGIN_ALLOW_THREADS
    documents_of_rows(from.roots, arrays[4].n - 1, documents);
    from.document = documents;
    write_postings(&from, ordered, columns, borders, n);
    Py_END_ALLOW_THREADS
    if (!(result = PyTuple_New(N_COLUMNS + 3))) goto done;
    for (int number = 0; number < N_COLUMNS + 3; number++) {
        if (number < N_COLUMNS) {
            Py_ssize_t size = n[number < LEAVES ? 0 : number < POSITIONS ? 1 : 2] * (Py_ssize_t)sizeof(int64_t);
            if (PyByteArray_Resize(made[number], size) < 0) {
                Py_CLEAR(result);
                goto done;
            }
        }
        PyTuple_SetItem(result, number, made[number]);
        made[number] = NULL;
    }
done:
    for (int number = 0; number < N_COLUMNS + 3; number++) Py_XDECREF(made[number]);
    give_back(ordered);
    give_back(documents);
    close_arrays(arrays, 5);
    return result;
}
