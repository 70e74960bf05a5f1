/* Pairs of a term and an interval of rows that contains it, with the frequency: a pass over intervals and postings.

   Intervals are nested or disjoint, as subtrees are; of others the result is None. The postings of each leaf are added to the lowest interval around
   it, then each interval to the one around it, from the last to the first. One outermost interval, such as a document,
   is counted at a time, for some terms at a time, so that the counts stay in the processor's cache.

   The reference is `pairs_in` (engine/similarity/term_frequencies.py) without this kernel. */
#include "kernels.h"

/* Terms that are counted together. */
enum { TERMS_AT_A_TIME = 32 };

typedef struct {
    const int64_t *leaves, *tf;
    Py_ssize_t n, next;  /* the first posting that was not counted yet */
} Postings;

typedef struct {
    const int64_t *rows, *ends;
    int64_t *around;  /* the lowest interval around each; -1 around none */
    Py_ssize_t n;
} Intervals;

typedef struct {
    int64_t *values;  /* term, unit and frequency of one pair after another */
    Py_ssize_t n, capacity;
} Pairs;

/* Return whether intervals are nested or disjoint, and ascending, as far as there was time. */
static bool find_around(Intervals *intervals, bool *is_late) {
    for (Py_ssize_t unit = 0; unit < intervals->n; unit++) {
        if ((*is_late = is_over_at(unit, 4))) return true;
        if (unit && intervals->rows[unit] <= intervals->rows[unit - 1]) return false;
        if (intervals->ends[unit] <= intervals->rows[unit]) return false;
        int64_t around = unit - 1;
        while (around >= 0 && intervals->ends[around] <= intervals->rows[unit]) around = intervals->around[around];
        if (around >= 0 && intervals->ends[unit] > intervals->ends[around]) return false;
        intervals->around[unit] = around;
    }
    return true;
}

static bool has_room(Pairs *pairs, Py_ssize_t n_more) {
    if (pairs->n + n_more <= pairs->capacity) return true;
    Py_ssize_t capacity = 2 * pairs->capacity + n_more;
    if (!has_room_for(3 * sizeof(int64_t) * (size_t)capacity)) capacity = pairs->n + n_more;
    int64_t *values = retake(pairs->values, (size_t)capacity * 3 * sizeof(int64_t));
    if (!values) return false;
    pairs->values = values;
    pairs->capacity = capacity;
    return true;
}

/* Add the frequencies of one term to the lowest interval around each leaf, of the units from `first` to `end`. */
static bool count_in_lowest(
    const Intervals *intervals, Py_ssize_t first, Py_ssize_t end, Postings *term, uint64_t *counts, int stride
) {
    Py_ssize_t unit = first, at = term->next;
    int64_t last = intervals->ends[first];
    while (at < term->n && term->leaves[at] < intervals->rows[first]) at++;
    for (; at < term->n && term->leaves[at] < last; at++) {
        int64_t leaf = term->leaves[at];
        while (unit + 1 < end && intervals->rows[unit + 1] <= leaf) unit++;
        int64_t lowest = unit;
        for (; lowest >= first && intervals->ends[lowest] <= leaf; lowest = intervals->around[lowest])
            if (is_over(4)) return false;
        if (is_over(4)) return false;
        if (lowest >= first) counts[(lowest - first) * stride] += (uint64_t)term->tf[at];
    }
    term->next = at;
    return true;
}

/* Add what each interval contains to the one around it. */
static bool add_upwards(const Intervals *intervals, Py_ssize_t first, Py_ssize_t end, uint64_t *counts, int stride) {
    for (Py_ssize_t unit = end - 1; unit > first; unit--) {
        int64_t around = intervals->around[unit];
        if (is_over(stride)) return false;
        if (around < first) continue;
        uint64_t *to = counts + (around - first) * stride, *from = counts + (unit - first) * stride;
        for (int term = 0; term < stride; term++) to[term] += from[term];
    }
    return true;
}

static bool append(Pairs *pairs, Py_ssize_t first, Py_ssize_t end, const uint64_t *counts, int first_term, int stride) {
    if (!has_room(pairs, (end - first) * stride)) return false;
    int64_t *values = pairs->values + 3 * pairs->n;
    for (Py_ssize_t unit = first; unit < end; unit++) {
        if (is_over(2 * stride)) return false;
        for (int term = 0; term < stride; term++) {
            values[0] = first_term + term, values[1] = unit, values[2] = (int64_t)*counts;
            values += *counts++ ? 3 : 0;  /* what is 0 is overwritten by the next one */
        }
    }
    pairs->n = (values - pairs->values) / 3;
    return true;
}

/* Count some terms in all intervals; the counts are of the largest outermost interval. */
static bool count(Intervals *intervals, Postings *terms, int first_term, int n_terms, uint64_t *counts, Pairs *pairs) {
    for (Py_ssize_t first = 0, end; first < intervals->n; first = end) {
        end = first + 1;
        while (end < intervals->n && intervals->rows[end] < intervals->ends[first]) end++;
        if (!zeroed(counts, (size_t)(end - first) * (size_t)n_terms * sizeof(uint64_t))) return false;
        for (int term = 0; term < n_terms; term++)
            if (!count_in_lowest(intervals, first, end, terms + first_term + term, counts + term, n_terms)) return false;
        if (!add_upwards(intervals, first, end, counts, n_terms)) return false;
        if (!append(pairs, first, end, counts, first_term, n_terms)) return false;
    }
    return true;
}

static Py_ssize_t largest_outermost(const Intervals *intervals) {
    Py_ssize_t largest = 0;
    for (Py_ssize_t first = 0, end; first < intervals->n; first = end) {
        for (end = first + 1; end < intervals->n && intervals->rows[end] < intervals->ends[first];) end++;
        if (end - first > largest) largest = end - first;
    }
    return largest;
}

static bool count_all(Intervals *intervals, Postings *terms, int n_terms, Pairs *pairs) {
    int at_a_time = n_terms < TERMS_AT_A_TIME ? n_terms : TERMS_AT_A_TIME;
    uint64_t *counts = take(((size_t)largest_outermost(intervals) * (size_t)at_a_time + 1) * sizeof(uint64_t));
    if (!counts) return false;
    bool is_done = true;
    for (int first = 0; is_done && first < n_terms; first += at_a_time) {
        int n = n_terms - first < at_a_time ? n_terms - first : at_a_time;
        is_done = count(intervals, terms, first, n, counts, pairs);
    }
    give_back(counts);
    return is_done;
}

/* The pairs as three columns, one after the other; NULL with an error set. */
static PyObject *columns_of(const Pairs *pairs) {
    int64_t *columns;
    PyObject *made = new_values(3 * pairs->n, 8, (void **)&columns);
    if (!made) return NULL;
    bool is_late = false;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t pair = 0; pair < pairs->n; pair++) {
        if ((is_late = is_over_at(pair, 8))) break;
        for (int column = 0; column < 3; column++)
            columns[column * pairs->n + pair] = pairs->values[3 * pair + column];
    }
    Py_END_ALLOW_THREADS
    if (!is_late) return made;
    Py_DECREF(made);
    return no_memory();
}

static bool open_terms(PyObject *leaves, PyObject *tf, Array *arrays, Postings *terms, int n) {
    for (int term = 0; term < n; term++) {
        Array *of_leaves = arrays + 2 * term, *of_tf = of_leaves + 1;
        PyObject *each = PyList_GetItem(leaves, term), *other = PyList_GetItem(tf, term);
        if (!each || !other || !open_array(each, INT64, of_leaves, "leaves") || !open_array(other, INT64, of_tf, "tf"))
            return false;
        if (of_leaves->n != of_tf->n) return refuse("leaves and frequencies of a term have different lengths");
        terms[term] = (Postings){VALUES(*of_leaves, int64_t), VALUES(*of_tf, int64_t), of_leaves->n, 0};
    }
    return true;
}

PyObject *pairs_in(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *leaves, *tf, *objects[2], *result = NULL;
    if (!PyArg_ParseTuple(arguments, "OOOO", &leaves, &tf, objects, objects + 1)) return NULL;
    if (!PyList_Check(leaves) || !PyList_Check(tf)) return PyErr_Format(PyExc_TypeError, "postings are two lists");
    int n_terms = (int)PyList_Size(leaves);
    Array intervals_of[2] = {0}, *arrays = zeroed_memory(2 * n_terms, sizeof(Array));
    Postings *terms = memory(n_terms, sizeof(Postings));
    Intervals intervals = {0};
    Pairs pairs = {0};
    if (!arrays || !terms || !open_terms(leaves, tf, arrays, terms, n_terms)) goto done;
    if (!open_array(objects[0], INT64, intervals_of, "rows") || !open_array(objects[1], INT64, intervals_of + 1, "ends"))
        goto done;
    intervals = (Intervals){
        VALUES(intervals_of[0], int64_t), VALUES(intervals_of[1], int64_t), NULL, intervals_of[0].n};
    REFUSE_IF(intervals_of[1].n != intervals.n, "rows and ends have different lengths");
    if (!(intervals.around = memory(intervals.n, sizeof(int64_t)))) goto done;
    bool is_nested, is_done = false, is_late = false;
    Py_BEGIN_ALLOW_THREADS
    is_nested = find_around(&intervals, &is_late);
    if (is_nested && !is_late) is_done = count_all(&intervals, terms, n_terms, &pairs);
    Py_END_ALLOW_THREADS
    if (!is_nested) result = Py_NewRef(Py_None);
    else result = is_done ? columns_of(&pairs) : no_memory();
done:
    give_back(pairs.values);
    give_back(intervals.around);
    give_back(terms);
    if (arrays) close_arrays(arrays, 2 * n_terms);
    close_arrays(intervals_of, 2);
    give_back(arrays);
    return result;
}
