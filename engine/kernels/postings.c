/* Postings of several terms in some documents: where the terms are, and the leaves that contain them.

   The references are `_find` and `_read` (engine/index/postings/leaf_postings.py) without these kernels. */
#include "byte_column.h"
#include "kernels.h"

static bool open_numbers(PyObject *object, Array *array, const char *name) {
    if (!object || !open_any(object, array)) return false;
    const char *format = array->view.format ? array->view.format : "B";
    if (*format == '<') format++;
    if (*format && !format[1] && strchr("BHIiLlQq", *format)) return true;
    PyErr_Format(PyExc_TypeError, "%s has values of type %s, not whole numbers", name, format);
    return false;
}

/* The first place from `first` on whose number is at least `wanted`: in steps that double, then by bisection. */
static Py_ssize_t advance(const Array *numbers, Py_ssize_t first, Py_ssize_t n, uint64_t wanted) {
    Py_ssize_t step = 1, end = first;
    while (end < n && number_at(numbers, end) < wanted) first = end + 1, end += step, step *= 2;
    if (end > n) end = n;
    while (first < end) {
        Py_ssize_t middle = first + (end - first) / 2;
        if (number_at(numbers, middle) < wanted) first = middle + 1;
        else end = middle;
    }
    return first;
}

/* A difference that wraps where numbers of a forged index are too far apart; what it counts is checked later. */
static int64_t difference(int64_t end, int64_t begin) { return (int64_t)((uint64_t)end - (uint64_t)begin); }

/* Read the value of each document that a term has, and the difference of the next value to it; 0 for others. False where
   time is over. */
static bool find_term(
    const Array *keys, const Array *values, const int64_t *documents, Py_ssize_t n, int64_t *found, int64_t *differences
) {
    const Array of_keys = *keys;  /* of this function alone, so that the compiler keeps its type in a register */
    const int64_t *of_values = VALUES(*values, int64_t);
    Py_ssize_t place = 0;
    for (Py_ssize_t document = 0; document < n; document++) {
        if (is_over_at(document, 8)) return false;
        place = advance(&of_keys, place, keys->n, (uint64_t)documents[document]);
        bool is_here = place < keys->n && number_at(&of_keys, place) == (uint64_t)documents[document];
        found[document] = is_here ? of_values[place] : 0;
        if (differences) differences[document] = is_here ? difference(of_values[place + 1], of_values[place]) : 0;
    }
    return true;
}

/* Open the documents of each term, and a value of each of them, with borders also one more. */
static bool open_terms(PyObject *keys, PyObject *values, Array *arrays, int n_terms, bool has_borders) {
    for (int term = 0; term < n_terms; term++) {
        Array *of_keys = arrays + 2 * term, *of_values = of_keys + 1;
        PyObject *of_term = PyList_GetItem(values, term);
        if (!of_term || !open_numbers(PyList_GetItem(keys, term), of_keys, "documents of a term")) return false;
        if (!open_array(of_term, INT64, of_values, "values")) return false;
        if (of_values->n != of_keys->n + has_borders) return refuse("a term has more documents than numbers for them");
    }
    return true;
}

PyObject *find_documents(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *keys, *values, *object, *result = NULL, *columns = NULL;
    int has_borders;
    if (!PyArg_ParseTuple(
            arguments, "O!O!Op", &PyList_Type, &keys, &PyList_Type, &values, &object, &has_borders))
        return NULL;
    int n_terms = (int)PyList_Size(keys);
    Array documents = {0}, *arrays = zeroed_memory(2 * n_terms, sizeof(Array));
    if (!arrays || !open_array(object, INT64, &documents, "documents")) goto done;
    if (!open_terms(keys, values, arrays, n_terms, has_borders)) goto done;
    int64_t *found;
    Py_ssize_t n = documents.n, size = n * n_terms;
    if (!(columns = new_values((1 + has_borders) * size, 8, (void **)&found))) goto done;
    bool is_done = true;
    Py_BEGIN_ALLOW_THREADS
    for (int term = 0; is_done && term < n_terms; term++) {
        int64_t *of_term = found + term * n;
        is_done = find_term(
            arrays + 2 * term, arrays + 2 * term + 1, VALUES(documents, int64_t), n, of_term,
            has_borders ? of_term + size : NULL);
    }
    Py_END_ALLOW_THREADS
    if (is_done) result = columns;
    else Py_DECREF(columns), no_memory();
done:
    if (arrays) close_arrays(arrays, 2 * n_terms);
    close_arrays(&documents, 1);
    give_back(arrays);
    return result;
}

typedef struct {
    const int64_t *begins, *counts, *first_rows;
    Py_ssize_t n_terms, n_documents, total;
    Array packed;
    int bits;
} Leaves;

/* How many leaves all terms have together; -1 where they are not in the column. */
static Py_ssize_t n_leaves(const Leaves *leaves, Py_ssize_t n_packed) {
    Py_ssize_t total = 0, most = PY_SSIZE_T_MAX / (2 * (Py_ssize_t)sizeof(int64_t));
    for (Py_ssize_t at = 0; at < leaves->n_terms * leaves->n_documents; at++) {
        int64_t begin = leaves->begins[at], n = leaves->counts[at];
        if (n < 0 || begin < 0 || n > n_packed || begin > n_packed - n || n > most - total) return -1;
        total += n;
    }
    return total;
}

/* Read row and frequency of all leaves; return how many frequencies are the highest that fits beside a row, -1 where time is
   over. */
static Py_ssize_t unpack(const Leaves *leaves, int64_t *rows, int64_t *tf, int64_t *ends) {
    int64_t highest = (int64_t)1 << leaves->bits;
    Py_ssize_t n = 0, n_highest = 0;
    for (Py_ssize_t term = 0; term < leaves->n_terms; term++) {
        for (Py_ssize_t document = 0; document < leaves->n_documents; document++) {
            Py_ssize_t at = term * leaves->n_documents + document;
            int64_t first_row = leaves->first_rows[document];
            if (is_over(2)) return -1;
            for (int64_t leaf = 0; leaf < leaves->counts[at]; leaf++, n++) {
                if (is_over_at(leaf, 2)) return -1;
                uint64_t packed = number_at(&leaves->packed, leaves->begins[at] + leaf);
                rows[n] = (int64_t)((uint64_t)first_row + (packed >> leaves->bits));
                tf[n] = (int64_t)(packed & (uint64_t)(highest - 1)) + 1;
                n_highest += tf[n] == highest;
            }
        }
        ends[term] = n;
    }
    return n_highest;
}

/* For each of the highest frequencies, its place among those that were read, and in the column. */
static PyObject *places_of_highest(const Leaves *leaves, const int64_t *tf, Py_ssize_t n_highest) {
    int64_t *places, highest = (int64_t)1 << leaves->bits;
    Py_ssize_t n = 0, found = 0;
    PyObject *made = new_values(2 * n_highest, 8, (void **)&places);
    for (Py_ssize_t at = 0; made && n_highest && at < leaves->n_terms * leaves->n_documents; at++)
        for (int64_t leaf = 0; leaf < leaves->counts[at]; leaf++, n++)
            if (tf[n] == highest) {
                places[found] = n;
                places[n_highest + found++] = leaves->begins[at] + leaf;
            }
    return made;
}

/* Where each term begins in each document, and how many leaves it has there; NULL with an error set.

   The counts are a new bytearray, the begins memory to be freed. */
static PyObject *find_terms(const Array *keys_and_values, Leaves *leaves, const int64_t *documents, int64_t **begins) {
    int64_t *counts;
    Py_ssize_t n = leaves->n_documents, size = leaves->n_terms * n;
    PyObject *made = new_values(size, 8, (void **)&counts);
    if (!made || !(*begins = memory(size, sizeof(int64_t)))) {
        Py_XDECREF(made);
        return NULL;
    }
    bool is_done = true;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t term = 0; is_done && term < leaves->n_terms; term++) {
        const Array *of_keys = keys_and_values + 2 * term;
        is_done = find_term(of_keys, of_keys + 1, documents, n, *begins + term * n, counts + term * n);
    }
    Py_END_ALLOW_THREADS
    if (!is_done) {
        Py_DECREF(made);
        return no_memory();
    }
    leaves->begins = *begins, leaves->counts = counts;
    return made;
}

/* The rows and frequencies of leaves, the ends of the terms, where frequencies are too large, and the counts; NULL with an
   error set. */
static PyObject *read_all(Leaves *leaves, Py_ssize_t n_packed, PyObject *counts) {
    PyObject *columns = NULL, *of_terms = NULL, *places = NULL, *result = NULL;
    int64_t *rows, *ends;
    if (leaves->bits < 0 || leaves->bits > 32 || (leaves->total = n_leaves(leaves, n_packed)) < 0) {
        refuse("leaf.npy: postings are not in the column");
        return NULL;
    }
    if (!(columns = new_values(2 * leaves->total, 8, (void **)&rows))) goto done;
    if (!(of_terms = new_values(leaves->n_terms, 8, (void **)&ends))) goto done;
    Py_ssize_t n_highest;
    Py_BEGIN_ALLOW_THREADS
    n_highest = unpack(leaves, rows, rows + leaves->total, ends);
    Py_END_ALLOW_THREADS
    if (n_highest < 0) {
        no_memory();
        goto done;
    }
    if (!(places = places_of_highest(leaves, rows + leaves->total, n_highest))) goto done;
    result = Py_BuildValue("OOOO", columns, of_terms, places, counts);
done:
    Py_XDECREF(columns);
    Py_XDECREF(of_terms);
    Py_XDECREF(places);
    return result;
}

PyObject *find_leaves(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *keys, *values, *objects[3], *counts = NULL, *result = NULL;
    Array arrays[3] = {0}, *of_terms = NULL;
    Leaves leaves = {0};
    int64_t *begins = NULL;
    if (!PyArg_ParseTuple(
            arguments, "O!O!OiOO", &PyList_Type, &keys, &PyList_Type, &values, objects, &leaves.bits, objects + 1,
            objects + 2))
        return NULL;
    leaves.n_terms = PyList_Size(keys);
    if (!(of_terms = zeroed_memory(2 * leaves.n_terms, sizeof(Array)))) return NULL;
    if (!open_terms(keys, values, of_terms, (int)leaves.n_terms, true) || !open_numbers(objects[0], arrays, "leaf") ||
        !open_array(objects[1], INT64, arrays + 1, "first_rows") ||
        !open_array(objects[2], INT64, arrays + 2, "documents"))
        goto done;
    leaves.packed = arrays[0];
    leaves.first_rows = VALUES(arrays[1], int64_t), leaves.n_documents = arrays[1].n;
    REFUSE_IF(arrays[2].n != arrays[1].n, "documents and their first rows differ in length");
    if ((counts = find_terms(of_terms, &leaves, VALUES(arrays[2], int64_t), &begins)))
        result = read_all(&leaves, arrays[0].n, counts);
done:
    give_back(begins);
    Py_XDECREF(counts);
    close_arrays(of_terms, 2 * (int)leaves.n_terms);
    close_arrays(arrays, 3);
    give_back(of_terms);
    return result;
}
