#include "arrays.h"

const Type INT64 = {"lq", 8}, INT32 = {"il", 4}, UINT64 = {"LQ", 8}, UINT16 = {"H", 2}, UINT8 = {"B", 1},
           BOOL = {"?", 1}, FLOAT64 = {"d", 8};

bool refuse(const char *message) {
    PyErr_SetString(PyExc_ValueError, message);
    return false;
}

bool open_any(PyObject *object, Array *array) {
    if (PyObject_GetBuffer(object, &array->view, PyBUF_STRIDES | PyBUF_FORMAT) < 0) {
        array->view.obj = NULL;
        return false;
    }
    array->values = array->view.buf;
    array->n = array->view.itemsize ? array->view.len / array->view.itemsize : 0;
    bool is_aligned = array->view.itemsize == 0 || (uintptr_t)array->values % (uintptr_t)array->view.itemsize == 0;
    if (is_aligned && PyBuffer_IsContiguous(&array->view, 'C')) return true;
    if (!(array->copy = memory(array->view.len, 1))) return false;
    array->values = array->copy;
    return PyBuffer_ToContiguous(array->copy, &array->view, array->view.len, 'C') == 0;
}

bool open_array(PyObject *object, Type type, Array *array, const char *name) {
    if (!object || !open_any(object, array)) return false;
    const char *format = array->view.format ? array->view.format : "B";
    if (*format == '<' || *format == '=' || *format == '@') format++;
    if (array->view.itemsize == type.size && *format && !format[1] && strchr(type.letters, *format)) return true;
    PyErr_Format(PyExc_TypeError, "%s has values of type %s, not %s", name, format, type.letters);
    return false;
}

void close_arrays(Array *arrays, int n) {
    for (int number = 0; number < n; number++) {
        if (arrays[number].view.obj) PyBuffer_Release(&arrays[number].view);
        give_back(arrays[number].copy);
    }
}

PyObject *new_values(Py_ssize_t n, Py_ssize_t size, void **values) {
    if (n > PY_SSIZE_T_MAX / size) return no_memory();
    PyObject *made = new_bytes((size_t)(n * size));
    if (made) *values = PyByteArray_AsString(made);
    return made;
}

typedef struct {
    PyObject_HEAD
    void *values;
    Py_ssize_t n_bytes;
} Owned;

static int give_buffer(PyObject *self, Py_buffer *view, int flags) {
    return PyBuffer_FillInfo(view, self, ((Owned *)self)->values, ((Owned *)self)->n_bytes, 0, flags);
}

static void free_owned(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    give_back_owned(((Owned *)self)->values);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyType_Slot slots[] = {{Py_bf_getbuffer, give_buffer}, {Py_tp_dealloc, free_owned}, {0, NULL}};
static PyType_Spec specification = {
    "engine.kernels._native.Memory", sizeof(Owned), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

PyObject *owned(void *values, Py_ssize_t n_bytes) {
    static PyTypeObject *type;
    if (!type) type = (PyTypeObject *)PyType_FromSpec(&specification);
    Owned *made = type ? PyObject_New(Owned, type) : NULL;
    if (!made) {
        give_back(values);
        return NULL;
    }
    disown(values);
    made->values = values, made->n_bytes = n_bytes;
    return (PyObject *)made;
}

void *memory(Py_ssize_t n, size_t size) {
    void *found = (size_t)n > PTRDIFF_MAX / size ? NULL : take((n ? (size_t)n : 1) * size);
    if (!found) no_memory();
    return found;
}

void *zeroed_memory(Py_ssize_t n, size_t size) {
    void *found = take_zeroed(n ? (size_t)n : 1, size);
    if (!found) no_memory();
    return found;
}

bool all_below(const int64_t *values, Py_ssize_t n, int64_t limit) {
    bool is_below = true;  /* without a branch for each, so that the compiler compares several at once */
    for (Py_ssize_t place = 0; place < n; place++) is_below &= (uint64_t)values[place] < (uint64_t)limit;
    return is_below;
}

Py_ssize_t lower_bound(const int64_t *values, Py_ssize_t first, Py_ssize_t end, int64_t wanted) {
    while (first < end) {
        Py_ssize_t middle = first + (end - first) / 2;
        if (values[middle] < wanted) first = middle + 1;
        else end = middle;
    }
    return first;
}
