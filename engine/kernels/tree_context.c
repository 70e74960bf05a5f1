/* Elements of a tree that are or contain some rows, with the columns that scores read: one pass in document order.

   The reference is `context_in_tree` (engine/ranking/scoring/tree_context.py) without this kernel. */
#include "kernels.h"
#include "tree.h"

/* Find the last element of the tree that begins at each row or before it, for all rows together. */
static bool find_last_begun(const Tree *tree, const int64_t *rows, Py_ssize_t n_rows, int64_t *places) {
    for (Py_ssize_t at = 0; at < n_rows; at++)
        if ((places[at] = last_begun(tree, rows[at])) < 0) return false;
    return true;
}

/* Replace each element by the lowest one around it, or itself, that contains the row. */
static bool climb(const Tree *tree, const int64_t *rows, Py_ssize_t n_rows, int64_t *places) {
    for (Py_ssize_t at = 0; at < n_rows; at++) {
        int64_t place = places[at];
        while (tree->entries[place].end <= rows[at]) {
            int64_t higher = tree->above[place];
            if (higher < 0 || higher >= place) return false;
            place = higher;
        }
        places[at] = place;
    }
    return true;
}

static bool has_room(Found *found, Py_ssize_t n_more) {
    if (found->n + n_more <= found->capacity) return true;
    Py_ssize_t capacity = 2 * (found->n + n_more);
    int64_t *places = realloc(found->places, (size_t)capacity * sizeof(int64_t));
    if (places) found->places = places;
    int64_t *parents = realloc(found->parents, (size_t)capacity * sizeof(int64_t));
    if (parents) found->parents = parents;
    if (!places || !parents) return false;
    found->capacity = capacity;
    return true;
}

/* Add an element and those around it that were not found yet.

   Rows are ascending: what contains this one and the one before has been found, everything else comes after it. So one
   climbs to the first element that is not after the last one found; it is that one, or around that one. */
const char *add_with_ancestors(const Tree *tree, Found *found, int64_t lowest) {
    int64_t last = found->n ? found->places[found->n - 1] : -1, place = lowest;
    Py_ssize_t n_new = 0;
    bool is_root = false;
    while (place > last) {
        int64_t higher = tree->above[place];
        if (higher < 0 || higher > place) return "parent.npy: a parent comes after one of its children";
        n_new++;
        is_root = higher == place;
        if (is_root) break;
        place = higher;
        __builtin_prefetch(tree->entries + place);
    }
    if (!n_new) return NULL;
    Py_ssize_t parent = found->n;  /* a root is its own */
    if (!is_root) {
        parent = found->n - 1;
        while (found->places[parent] > place) {
            if (found->parents[parent] == parent) break;
            parent = found->parents[parent];
        }
        if (found->places[parent] != place) return "parent.npy: subtrees overlap";
    }
    if (!has_room(found, n_new)) return "";
    place = lowest;
    for (Py_ssize_t at = found->n + n_new - 1; at >= found->n; at--, place = tree->above[place]) {
        found->places[at] = place;
        found->parents[at] = at == found->n ? parent : at - 1;
    }
    found->n += n_new;
    return NULL;
}

static const char *find_all(const Tree *tree, Found *found, const int64_t *rows, Py_ssize_t n_rows, int64_t *places) {
    for (Py_ssize_t at = 1; at < n_rows; at++)
        if (rows[at] < rows[at - 1]) return "rows are not ascending";
    if (!find_last_begun(tree, rows, n_rows, places) || !climb(tree, rows, n_rows, places))
        return "extent.npy: a subtree ends before one of its elements";
    for (Py_ssize_t at = 0; at < n_rows; at++) {
        const char *error = add_with_ancestors(tree, found, places[at]);
        if (error) return error;
    }
    return NULL;
}

/* The columns of the elements found, and what is beside and above them; see `tree_context` of _native.pyi. */
typedef struct {
    int64_t *rows, *ends, *words, *tags, *depths, *document, *parents;
    uint8_t *is_root, *heading_levels, *is_mostly_titles;
    int64_t *left, *right, *headings, *first, *end;
    Py_ssize_t n_neighbours, n_headings;
} Columns;

static const char *fill_columns(
    const Tree *tree, const Found *found, Columns *out, const int64_t *roots, Py_ssize_t n_roots
) {
    Py_ssize_t document = -1;
    for (Py_ssize_t at = 0; at < found->n; at++) {
        const Entry *entry = tree->entries + found->places[at];
        out->rows[at] = entry->row, out->ends[at] = entry->end, out->words[at] = entry->words;
        out->tags[at] = entry->tag, out->depths[at] = entry->depth;
        out->heading_levels[at] = entry->heading_levels, out->is_mostly_titles[at] = entry->is_mostly_titles;
        out->is_root[at] = found->parents[at] == at;
        out->parents[at] = entry->is_lower ? at : found->parents[at];
        if (out->is_root[at]) {
            do document++;
            while (document < n_roots && roots[document] < entry->row);
            if (document >= n_roots || roots[document] != entry->row) return "first_row.npy: an element has no document";
        }
        out->document[at] = document;
    }
    return NULL;
}

static void find_neighbours(const Tree *tree, const Found *found, Columns *out) {
    for (Py_ssize_t at = 0; at < found->n; at++) {
        int64_t behind = tree->entries[found->places[at]].following;
        if (behind < 0) continue;
        Py_ssize_t place = lower_bound(found->places, at + 1, found->n, behind);
        if (place == found->n || found->places[place] != behind) continue;
        out->left[out->n_neighbours] = at;
        out->right[out->n_neighbours++] = place;
    }
}

/* The scopes of headings: each speaks of an element around it, that of a root is in the score of the article. */
static void find_titles(const Found *found, Columns *out) {
    for (Py_ssize_t at = 0; at < found->n; at++) {
        int64_t entitled = at;
        for (int level = out->heading_levels[at]; level; level--) entitled = out->parents[entitled];
        if (!out->heading_levels[at] || out->is_root[entitled]) continue;
        out->headings[out->n_headings] = at;
        out->first[out->n_headings] = entitled;
        out->end[out->n_headings++] = lower_bound(out->rows, 0, found->n, out->ends[entitled]);
    }
}

static PyObject *columns_of(const Tree *tree, const Found *found, const int64_t *roots, Py_ssize_t n_roots) {
    Columns out = {0};
    Py_ssize_t n = found->n;
    int64_t *numbers, *pairs = memory(5 * n, sizeof(int64_t));
    uint8_t *masks;
    PyObject *of_numbers = NULL, *of_masks = NULL, *result = NULL;
    if (!pairs || !(of_numbers = new_values(7 * n, 8, (void **)&numbers))) goto done;
    if (!(of_masks = new_values(3 * n, 1, (void **)&masks))) goto done;
    out.rows = numbers, out.ends = numbers + n, out.words = numbers + 2 * n, out.tags = numbers + 3 * n;
    out.depths = numbers + 4 * n, out.document = numbers + 5 * n, out.parents = numbers + 6 * n;
    out.is_root = masks, out.heading_levels = masks + n, out.is_mostly_titles = masks + 2 * n;
    out.left = pairs, out.right = pairs + n;
    out.headings = pairs + 2 * n, out.first = pairs + 3 * n, out.end = pairs + 4 * n;
    const char *error;
    Py_BEGIN_ALLOW_THREADS
    error = fill_columns(tree, found, &out, roots, n_roots);
    if (!error) {
        find_neighbours(tree, found, &out);
        find_titles(found, &out);
    }
    Py_END_ALLOW_THREADS
    if (error) {
        refuse(error);
        goto done;
    }
    Py_ssize_t of_neighbours = out.n_neighbours * 8, of_titles = out.n_headings * 8;
    result = Py_BuildValue(
        "OO(y#y#)(y#y#y#)", of_numbers, of_masks, (char *)out.left, of_neighbours, (char *)out.right, of_neighbours,
        (char *)out.headings, of_titles, (char *)out.first, of_titles, (char *)out.end, of_titles
    );
done:
    Py_XDECREF(of_numbers);
    Py_XDECREF(of_masks);
    free(pairs);
    return result;
}

bool open_tree_columns(PyObject *const *objects, Array *arrays, Tree *tree) {
    if (!open_array(objects[0], UINT8, arrays, "entries") || !open_array(objects[1], UINT64, arrays + 1, "are_here") ||
        !open_array(objects[2], INT32, arrays + 2, "n_before") || !open_array(objects[3], INT32, arrays + 3, "above"))
        return false;
    *tree = (Tree){
        .entries = arrays[0].values, .are_here = VALUES(arrays[1], uint64_t), .n_before = VALUES(arrays[2], int32_t),
        .above = VALUES(arrays[3], int32_t), .n = arrays[0].n / (Py_ssize_t)sizeof(Entry), .n_numbers = arrays[1].n};
    if (tree->n > INT32_MAX) return refuse("a tree has too many entries");
    if ((uintptr_t)tree->entries % _Alignof(Entry)) return refuse("the entries of a tree are not aligned");
    bool has_whole_entries = arrays[0].n == tree->n * (Py_ssize_t)sizeof(Entry) && arrays[3].n == tree->n;
    if (has_whole_entries && arrays[2].n == tree->n_numbers) return true;
    return refuse("the columns of a tree have different lengths");
}

PyObject *tree_context(PyObject *module, PyObject *arguments) {
    PyObject *objects[N_TREE_COLUMNS + 2];
    Array arrays[N_TREE_COLUMNS + 2] = {0};
    Found found = {0};
    int64_t *places = NULL;
    PyObject *result = NULL;
    if (!PyArg_ParseTuple(
            arguments, "OOOOOO", objects, objects + 1, objects + 2, objects + 3, objects + 4, objects + 5))
        return NULL;
    Tree tree;
    Array *rows = arrays + N_TREE_COLUMNS, *roots = rows + 1;
    if (!open_tree_columns(objects, arrays, &tree) || !open_array(objects[N_TREE_COLUMNS], INT64, rows, "rows") ||
        !open_array(objects[N_TREE_COLUMNS + 1], INT64, roots, "roots"))
        goto done;
    if (!(places = memory(rows->n, sizeof(int64_t)))) goto done;
    const char *error;
    Py_BEGIN_ALLOW_THREADS
    error = find_all(&tree, &found, VALUES(*rows, int64_t), rows->n, places);
    Py_END_ALLOW_THREADS
    if (error && !*error) PyErr_NoMemory();
    else if (error) refuse(error);
    else result = columns_of(&tree, &found, VALUES(*roots, int64_t), roots->n);
done:
    free(places);
    free(found.places);
    free(found.parents);
    close_arrays(arrays, N_TREE_COLUMNS + 2);
    return result;
}
