/* Rows with a term, found in a bit map of one document after another: the postings of a term are in order, so that no
   sort is needed, and the bits before a row count its place among them. */
#include "tree_rows.h"

/* Terms whose rows are merged; those of more terms are marked. */
enum { MOST_MERGED = 6 };

void free_tree_rows(TreeRows *found) {
    give_back(found->rows);
    give_back(found->row_of);
    give_back(found->first_posting);
    give_back(found->first_row);
    give_back(found->segments);
    give_back(found->roots);
    give_back(found->ends);
    give_back(found->bits);
    give_back(found->n_before);
}

bool make_tree_rows(TreeRows *found, const Postings *terms, int n_terms, Py_ssize_t n_documents) {
    for (int term = 0; term < n_terms; term++) found->n_postings += terms[term].n;
    size_t size = (size_t)found->n_postings + 1, n_borders = ((size_t)n_documents + 1) * (size_t)n_terms + 1;
    found->rows = take(size * sizeof(int64_t));
    found->row_of = take(size * sizeof(int32_t));
    found->first_posting = take_zeroed(n_borders, sizeof(Py_ssize_t));
    found->first_row = take_zeroed((size_t)n_documents + 1, sizeof(Py_ssize_t));
    found->segments = take(((size_t)n_documents + 1) * sizeof(SegmentTable *));
    found->roots = take(((size_t)n_documents + 1) * sizeof(int64_t));
    found->ends = take(((size_t)n_documents + 1) * sizeof(int64_t));
    bool has_rows = found->rows && found->row_of && found->first_posting && found->first_row;
    return has_rows && found->segments && found->roots && found->ends;
}

static bool clear(TreeRows *found, Py_ssize_t n) {
    if (n > found->n_numbers) {
        give_back(found->bits);
        give_back(found->n_before);
        found->n_numbers = 2 * n;
        found->bits = take(2 * (size_t)n * sizeof(uint64_t)), found->n_before = take(2 * (size_t)n * sizeof(int32_t));
        if (!found->bits || !found->n_before) return false;
    }
    memset(found->bits, 0, (size_t)n * sizeof(uint64_t));
    return true;
}

/* Mark the rows of a term from one posting on that are before `end`; the first posting after them, -1 for an error, -2
   where time is over. */
static Py_ssize_t mark(const Postings *term, Py_ssize_t at, int64_t root, int64_t end, uint64_t *bits) {
    int64_t last = root - 1, first = root >> 6;
    for (; at < term->n && term->leaves[at] < end; at++) {
        int64_t row = term->leaves[at];
        if (is_over_at(at, 2)) return -2;
        if (row <= last) return -1;
        bits[(row >> 6) - first] |= (uint64_t)1 << (row & 63);
        last = row;
    }
    return at;
}

/* Append a row, from which one will climb. */
static inline void append_row(int64_t row, const SegmentTable *segment, TreeRows *found) {
    int64_t local = row - segment->base;
    if (!found->n || row >> 6 != found->rows[found->n - 1] >> 6) prefetch_climb(segment, local);
    found->rows[found->n++] = row;
}

/* Append the rows of few terms, merged, with the place of the row of each posting. */
static const char *merge_rows(
    const Postings *terms, int n_terms, const SegmentTable *segment, int64_t root, int64_t end,
    const Py_ssize_t *begins, Py_ssize_t *ends, TreeRows *found
) {
    int64_t heads[MOST_MERGED], last = root - 1;
    int32_t *row_of[MOST_MERGED], *of_term = found->row_of;
    for (int term = 0; term < n_terms; of_term += terms[term++].n) {
        ends[term] = begins[term];
        heads[term] = begins[term] < terms[term].n ? terms[term].leaves[begins[term]] : INT64_MAX;
        row_of[term] = of_term;
    }
    for (;;) {
        int64_t row = INT64_MAX;
        int32_t place = (int32_t)found->n;
        for (int term = 0; term < n_terms; term++) row = heads[term] < row ? heads[term] : row;
        if (row >= end) return NULL;
        if (is_over(4 * n_terms)) return "";
        if (row <= last) return "leaf.npy: postings are not ascending, or in no document";
        for (int term = 0; term < n_terms; term++) {
            if (heads[term] != row) continue;
            row_of[term][ends[term]++] = place;
            heads[term] = ends[term] < terms[term].n ? terms[term].leaves[ends[term]] : INT64_MAX;
        }
        append_row(row, segment, found);
        last = row;
    }
}

/* Append the rows that are marked; false where time is over. */
static bool append_rows(const SegmentTable *segment, int64_t first, Py_ssize_t n_numbers, TreeRows *found) {
    for (Py_ssize_t number = 0; number < n_numbers; number++) {
        if (is_over(64)) return false;
        found->n_before[number] = (int32_t)found->n;
        for (uint64_t bits = found->bits[number]; bits; bits &= bits - 1)
            append_row((first + number) * 64 + __builtin_ctzll(bits), segment, found);
    }
    return true;
}

/* The bits that are set, without an instruction that old processors lack. */
static inline int n_bits(uint64_t bits) {
    bits -= (bits >> 1) & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int)((bits * 0x0101010101010101u) >> 56);
}

/* Find the place of the row of each posting of the document; false where time is over. */
static bool count_postings(
    const Postings *terms, int n_terms, int64_t first, const Py_ssize_t *begins, const Py_ssize_t *ends, TreeRows *found
) {
    int32_t *row_of = found->row_of;
    for (int term = 0; term < n_terms; row_of += terms[term++].n)
        for (Py_ssize_t at = begins[term]; at < ends[term]; at++) {
            if (is_over_at(at, 4)) return false;
            int64_t leaf = terms[term].leaves[at], number = (leaf >> 6) - first;
            uint64_t before = ((uint64_t)1 << (leaf & 63)) - 1;
            row_of[at] = found->n_before[number] + n_bits(found->bits[number] & before);
        }
    return true;
}

const char *find_roots(
    const Table *table, const int64_t *roots, const int64_t *ends, Py_ssize_t n_documents, TreeRows *found
) {
    SegmentTable *segment = table->segments;
    int64_t reach = 0;
    for (Py_ssize_t at = 0; at < n_documents; at++) {
        if (!(segment = segment_of(table, segment, roots[at]))) return "first_row.npy: a document has no root";
        if (roots[at] < reach || ends[at] <= roots[at]) return "first_row.npy: documents overlap";
        reach = ends[at];
        if (reach > segment->base + segment->n) return "first_row.npy: a document has no end";
        found->segments[at] = segment, found->roots[at] = roots[at], found->ends[at] = reach;
    }
    return NULL;
}

const char *find_rows(const Postings *terms, int n_terms, Py_ssize_t document, TreeRows *found) {
    Py_ssize_t *begins = found->first_posting + document * n_terms, *ends = begins + n_terms;
    const SegmentTable *segment = found->segments[document];
    int64_t root = found->roots[document], end = found->ends[document], first = root >> 6;
    found->first_row[document] = found->n;
    if (n_terms <= MOST_MERGED) {
        const char *error = merge_rows(terms, n_terms, segment, root, end, begins, ends, found);
        found->first_row[document + 1] = found->n;
        return error;
    }
    Py_ssize_t n_numbers = (Py_ssize_t)(((end - 1) >> 6) - first + 1);
    if (!clear(found, n_numbers)) return "";
    for (int term = 0; term < n_terms; term++)
        if ((ends[term] = mark(terms + term, begins[term], root, end, found->bits)) < 0)
            return ends[term] == -2 ? "" : "leaf.npy: postings are not ascending, or in no document";
    if (!append_rows(segment, first, n_numbers, found)) return "";
    found->first_row[document + 1] = found->n;
    return count_postings(terms, n_terms, first, begins, ends, found) ? NULL : "";
}
