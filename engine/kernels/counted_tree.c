/* Python objects around the columns that one kernel leaves to the next one: only kernels make and read them. */
#include "counted_tree.h"

static const char COUNTED[] = "engine.kernels.counted_tree", WEIGHED[] = "engine.kernels.weighed_tree";

static bool grow(void *column, size_t n, size_t size) {
    void **values = column, *made = realloc(*values, n * size);
    if (made) *values = made;
    return made != NULL;
}

bool has_room_for(CountedTree *counted, Py_ssize_t n, Py_ssize_t n_pairs) {
    if (n > counted->capacity) {
        size_t more = 2 * (size_t)n + 1;
        if (!grow(&counted->elements, more, sizeof(Element)) || !grow(&counted->document, more, sizeof(int32_t)) ||
            !grow(&counted->parents, more, sizeof(int32_t)) || !grow(&counted->behind, more, sizeof(int32_t)) ||
            !grow(&counted->first_pair, more, sizeof(int64_t)) || !grow(&counted->is_root, more, sizeof(bool)))
            return false;
        counted->capacity = 2 * n;
    }
    if (n_pairs > counted->capacity_of_pairs) {
        size_t more = 2 * (size_t)n_pairs;
        if (!grow(&counted->term, more, sizeof(int32_t)) || !grow(&counted->tf, more, sizeof(int64_t))) return false;
        counted->capacity_of_pairs = 2 * n_pairs;
    }
    return true;
}

void free_counted_tree(CountedTree *counted) {
    free(counted->elements);
    free(counted->document);
    free(counted->parents);
    free(counted->behind);
    free(counted->first_pair);
    free(counted->is_root);
    free(counted->term);
    free(counted->tf);
    free(counted->first_element);
    memset(counted, 0, sizeof *counted);
}

bool make_weighed_tree(WeighedTree *weighed, PyObject *counted, Py_ssize_t n) {
    weighed->sums = memory(n, sizeof(double)), weighed->of_headings = memory(n, sizeof(double));
    weighed->shares = memory(n, sizeof(int64_t));
    weighed->counted = Py_NewRef(counted);
    return weighed->sums && weighed->of_headings && weighed->shares;
}

void free_weighed_tree(WeighedTree *weighed) {
    free(weighed->sums);
    free(weighed->of_headings);
    free(weighed->shares);
    Py_XDECREF(weighed->counted);
    memset(weighed, 0, sizeof *weighed);
}

static void delete_counted(PyObject *capsule) {
    CountedTree *counted = PyCapsule_GetPointer(capsule, COUNTED);
    if (!counted) return;
    free_counted_tree(counted);
    free(counted);
}

static void delete_weighed(PyObject *capsule) {
    WeighedTree *weighed = PyCapsule_GetPointer(capsule, WEIGHED);
    if (!weighed) return;
    free_weighed_tree(weighed);
    free(weighed);
}

/* Move columns into a new object that owns them. */
static PyObject *object_of(void *columns, size_t size, const char *name, PyCapsule_Destructor destructor) {
    void *owned = memory(1, size);
    if (!owned) return NULL;
    memcpy(owned, columns, size);
    PyObject *made = PyCapsule_New(owned, name, destructor);
    if (made) memset(columns, 0, size);
    else free(owned);
    return made;
}

PyObject *counted_tree_object(CountedTree *counted) {
    return object_of(counted, sizeof *counted, COUNTED, delete_counted);
}

PyObject *weighed_tree_object(WeighedTree *weighed) {
    return object_of(weighed, sizeof *weighed, WEIGHED, delete_weighed);
}

static const void *columns_of(PyObject *object, const char *name, const char *error) {
    if (PyCapsule_IsValid(object, name)) return PyCapsule_GetPointer(object, name);
    PyErr_SetString(PyExc_TypeError, error);
    return NULL;
}

const CountedTree *counted_tree_of(PyObject *object) {
    return columns_of(object, COUNTED, "these are not elements that count_in_tree returned");
}

const WeighedTree *weighed_tree_of(PyObject *object) {
    return columns_of(object, WEIGHED, "these are not elements that weigh_in_tree returned");
}
