/* Ranks of numbers among ascending ones; the reference is `np.searchsorted`. */
#include "kernels.h"

PyObject *ranks_of(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[2], *result = NULL;
    Array arrays[2] = {0};
    int64_t *ranks;
    if (!PyArg_ParseTuple(arguments, "OO", objects, objects + 1)) return NULL;
    if (!open_array(objects[0], INT64, arrays, "values") || !open_array(objects[1], INT64, arrays + 1, "wanted"))
        goto done;
    const int64_t *values = VALUES(arrays[0], int64_t), *wanted = VALUES(arrays[1], int64_t);
    if (!(result = new_values(arrays[1].n, 8, (void **)&ranks))) goto done;
    Py_BEGIN_ALLOW_THREADS
    Py_ssize_t rank = 0, n = arrays[0].n;
    for (Py_ssize_t place = 0; place < arrays[1].n; place++) {
        if (rank && values[rank - 1] >= wanted[place]) rank = lower_bound(values, 0, rank, wanted[place]);
        Py_ssize_t near = rank;
        while (near < n && near < rank + 16 && values[near] < wanted[place]) near++;
        bool is_far = near == rank + 16 && near < n && values[near] < wanted[place];
        rank = is_far ? lower_bound(values, near, n, wanted[place]) : near;
        ranks[place] = rank;
    }
    Py_END_ALLOW_THREADS
done:
    close_arrays(arrays, 2);
    return result;
}
