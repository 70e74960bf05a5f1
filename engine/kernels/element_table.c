/* Elements that count, found by climbing from rows; the reference is `with_ancestors` under `TableMask`. */
#include "element_table.h"

/* The parts of a kind (engine/index/elements/element_table.py). */
enum { INLINE = 1, MOSTLY_TITLES = 2, HEADING = 4, HEADINGS = 4 * 7, TITLE = 1, HEADER_ROW = 1, GROUP = 32 };

static bool open_segment(PyObject *columns, SegmentTable *segment) {
    PyObject *objects[12];
    long long base;
    if (!PyArg_ParseTuple(
            columns, "LOOOOOOOOOOOO", &base, objects, objects + 1, objects + 2, objects + 3, objects + 4, objects + 5,
            objects + 6, objects + 7, objects + 8, objects + 9, objects + 10, objects + 11))
        return false;
    if (!open_array(objects[0], INT64, &segment->tag_numbers, "tag_numbers") || !open_any(objects[1], &segment->tags) ||
        !open_array(objects[2], UINT8, &segment->kinds, "kinds") || !open_byte_column(objects + 3, &segment->parents) ||
        !open_byte_column(objects + 6, &segment->extents) || !open_byte_column(objects + 9, &segment->words))
        return false;
    segment->base = base, segment->n = segment->kinds.n;
    if (segment->tags.n == segment->n && segment->parents.n == segment->n &&
        segment->extents.n == segment->n && segment->words.n == segment->n)
        return true;
    return refuse("the columns of the element table have different lengths");
}

bool open_table(PyObject *segments, PyObject *mask, Table *table) {
    if (!PyArg_ParseTuple(
            mask, "ddpp", &table->min_words, &table->neighbour_words, &table->with_headings, &table->with_header_rows))
        return false;
    table->least_byte = 0;
    while (table->least_byte <= LARGE && (double)table->least_byte < table->min_words) table->least_byte++;
    if (!PyList_Check(segments)) return refuse("the segments are no list");
    Py_ssize_t n = PyList_Size(segments);
    if (!(table->segments = zeroed_memory(n, sizeof(SegmentTable)))) return false;
    int64_t reach = 0;
    for (; table->n_segments < n; table->n_segments++) {
        SegmentTable *segment = table->segments + table->n_segments;
        if (!open_segment(PyList_GetItem(segments, table->n_segments), segment)) {
            table->n_segments++;
            return false;
        }
        if (segment->base < reach) return refuse("segments overlap");
        reach = segment->base + segment->n;
    }
    return true;
}

void close_table(Table *table) {
    for (Py_ssize_t number = 0; number < table->n_segments; number++) {
        SegmentTable *segment = table->segments + number;
        close_arrays(&segment->tag_numbers, 1);
        close_arrays(&segment->tags, 1);
        close_arrays(&segment->kinds, 1);
        close_byte_column(&segment->parents);
        close_byte_column(&segment->extents);
        close_byte_column(&segment->words);
    }
    give_back(table->segments);
}

SegmentTable *segment_of(const Table *table, SegmentTable *from, int64_t row) {
    const SegmentTable *end = table->segments + table->n_segments;
    while (from < end && row >= from->base + from->n) from++;
    return from < end && row >= from->base ? from : NULL;
}

int64_t end_of(SegmentTable *segment, int64_t row) {
    int64_t extent = byte_at(&segment->extents, row - segment->base), left = segment->base + segment->n - row;
    return extent > 0 && extent <= left ? row + extent : -1;
}

/* The parent of an element of a segment, itself for a root; -1 where the column does not say one. */
static inline int64_t parent_of(SegmentTable *segment, int64_t local) {
    int64_t distance = byte_at(&segment->parents, local);
    return distance >= 0 && distance <= local ? local - distance : -1;
}

static inline int kind_of(const SegmentTable *segment, int64_t local) {
    return VALUES(segment->kinds, uint8_t)[local];
}

/* The nearest element above one that is not inline; -1 where there is none. */
static int64_t above(SegmentTable *segment, int64_t local) {
    for (;;) {
        int64_t parent = parent_of(segment, local);
        if (parent == local) return -1;
        if (parent < 0 || !(kind_of(segment, parent) & INLINE)) return parent;
        local = parent;
    }
}

/* Whether the table that is so many elements up has enough words for its header rows to count. */
static bool is_in_table(const Table *table, SegmentTable *segment, int64_t local, int levels) {
    for (; levels > 0 && local >= 0; levels--) local = above(segment, local);
    return local >= 0 && (double)byte_at(&segment->words, local) >= table->min_words;
}

static bool is_asked_for(const Table *table, int64_t row) {
    if (!table->n_inline) return false;
    Py_ssize_t at = lower_bound(table->inline_rows, 0, table->n_inline, row);
    return at < table->n_inline && table->inline_rows[at] == row;
}

/* Of an element with such a kind, how many elements up is the one that it is a heading of, 0 for none. */
static int levels_of(const Table *table, SegmentTable *segment, int64_t local, int kind) {
    int heading = (kind & HEADINGS) / HEADING;
    if (!heading || !table->with_headings) return 0;
    if (heading == TITLE) return 1;
    return table->with_header_rows && is_in_table(table, segment, local, heading - HEADER_ROW) ? heading - HEADER_ROW : 0;
}

/* Whether an element counts that is neither a root nor inline. */
static inline bool counts(const Table *table, SegmentTable *segment, int64_t local, int kind) {
    if (segment->words.small[local] >= table->least_byte) return true;
    if (table->least_byte > LARGE && (double)byte_at(&segment->words, local) >= table->min_words) return true;
    if (kind < HEADING) return false;
    if (levels_of(table, segment, local, kind)) return true;
    if (kind < GROUP || !table->with_headings || !table->with_header_rows) return false;
    return is_in_table(table, segment, local, kind / GROUP);
}

static bool has_room(Found *found) {
    if (found->n < found->capacity) return true;
    Py_ssize_t capacity = 2 * found->capacity + 256;
    int64_t *rows = retake(found->rows, (size_t)capacity * sizeof(int64_t));
    if (rows) found->rows = rows;
    int64_t *parents = retake(found->parents, (size_t)capacity * sizeof(int64_t));
    if (parents) found->parents = parents;
    uint8_t *are_lower = retake(found->are_lower, (size_t)capacity);
    if (are_lower) found->are_lower = are_lower;
    if (!rows || !parents || !are_lower) return false;
    found->capacity = capacity;
    return true;
}

void free_found(Found *found) {
    give_back(found->rows);
    give_back(found->parents);
    give_back(found->are_lower);
}

/* Reverse the rows from one place on, which were found from the lowest one up. */
static void reverse(Found *found, Py_ssize_t first) {
    for (Py_ssize_t low = first, high = found->n - 1; low < high; low++, high--) {
        int64_t row = found->rows[low];
        uint8_t is_lower = found->are_lower[low];
        found->rows[low] = found->rows[high], found->are_lower[low] = found->are_lower[high];
        found->rows[high] = row, found->are_lower[high] = is_lower;
    }
}

/* The lowest element from a place up that begins at a row or before it. */
static Py_ssize_t lowest_from(const Found *found, Py_ssize_t at, int64_t row) {
    while (found->rows[at] > row && found->parents[at] != at) at = found->parents[at];
    return at;
}

/* Say of the last rows found, from `waiting` on, whether the element around them counts. */
static Py_ssize_t mark(Found *found, Py_ssize_t waiting, bool is_lower) {
    for (; waiting < found->n; waiting++) found->are_lower[waiting] = is_lower;
    return waiting;
}

/* One climbs to the first element that is not after the last one found: it is that one, or around that one, so that all
   from there on has been found. `waiting` is the first of the new rows above which all was inline so far. */
const char *add_with_ancestors(const Table *table, SegmentTable *segment, Found *found, int64_t row, Py_ssize_t *unit) {
    int64_t last = found->n ? found->rows[found->n - 1] - segment->base : -1, local = row - segment->base;
    Py_ssize_t first = found->n, waiting = first, highest = first;
    bool is_root = false;
    int64_t n_climbed = 4;
    while (local > last && !is_root) {
        n_climbed += 4;
        int64_t parent = parent_of(segment, local);
        int kind = kind_of(segment, local);
        bool is_found;
        if (parent < 0) return "parent.npy: an element has no parent";
        is_root = parent == local;
        if (kind & INLINE) {
            is_found = is_asked_for(table, segment->base + local);
        } else {
            is_found = is_root || counts(table, segment, local, kind);
            waiting = mark(found, waiting, !is_found);
        }
        if (is_found) {
            if (!has_room(found)) return "";
            __builtin_prefetch(segment->extents.small + local);  /* for `read_element` */
            __builtin_prefetch((const char *)segment->tags.values + local * segment->tags.view.itemsize);
            found->rows[found->n++] = segment->base + local;
        }
        local = parent;
    }
    if (is_root) {
        mark(found, waiting, false);
    } else {
        if (!first) return "parent.npy: an element has no root";
        highest = lowest_from(found, first - 1, segment->base + local);
        if (waiting < found->n) {
            if (kind_of(segment, local) & INLINE && (local = above(segment, local)) < 0)
                return "parent.npy: an element has no root";
            Py_ssize_t around = lowest_from(found, highest, segment->base + local);
            mark(found, waiting, found->rows[around] != segment->base + local);
        }
    }
    if (is_over(n_climbed)) return "";
    reverse(found, first);
    for (Py_ssize_t at = first; at < found->n; at++) found->parents[at] = at == first ? highest : at - 1;
    *unit = found->n > first ? found->n - 1 : highest;
    return NULL;
}

bool is_inline(const SegmentTable *segment, int64_t row) { return kind_of(segment, row - segment->base) & INLINE; }

const char *read_element(const Table *table, SegmentTable *segment, int64_t row, Element *element) {
    int64_t local = row - segment->base, end = end_of(segment, row), words = byte_at(&segment->words, local);
    uint64_t tag = number_at(&segment->tags, local);
    int kind = kind_of(segment, local);
    if (end < 0) return "extent.npy: a subtree has no end";
    if (words < 0 || words > INT32_MAX) return "subtree_words.npy: an element has no number of words";
    if (tag >= (uint64_t)segment->tag_numbers.n) return "tag.npy: an element has no tag";
    *element = (Element){
        .end = end, .words = (int32_t)words, .tag = (int32_t)VALUES(segment->tag_numbers, int64_t)[tag],
        .heading_levels = (uint8_t)(kind < HEADING ? 0 : levels_of(table, segment, local, kind)),
        .is_mostly_titles = (kind & MOSTLY_TITLES) != 0};
    return NULL;
}
