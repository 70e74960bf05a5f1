/* Features of images (engine/images/features.py). `pixel_colours`, the colour of each pixel: the reference is
   `_colours_in_numpy` there. `texture_energies`, the energies of the four filters of one scale in the blocks of an image:
   the reference is `_energies_in_numpy`. Values and coefficients are whole numbers whose sums are exact in any
   order: down the columns below 2^24, in float32, then along the rows in float64. Filters are symmetric or, the last
   one, antisymmetric, so that values at the same distance are added first; only the halves from the middle are given. */
#include "kernels.h"

enum { HUES = 18, SATURATIONS = 3, THIRDS = 3, GREYS = 4, COLOURS = 166, GREATEST_GREY = 25 };
enum { SIDE = 256, GRID = 16, BLOCK = SIDE / GRID, FILTERS = 4, MOST_REACH = 32, LARGEST = 255 };
/* What is added to a number below 2^51 and taken away again, to round it to a whole one, halves to even ones. */
#define ROUNDING 6755399441055744.0
/* The steps of a response: STEP / UNIT^2. */
#define STEPS (1.0 / (1 << 24))

static inline int colour_of(int red, int green, int blue) {
    int value = red > green ? red : green, least = red < green ? red : green;
    if (blue > value) value = blue;
    if (blue < least) least = blue;
    int chroma = value - least;
    if (chroma <= GREATEST_GREY) return COLOURS - GREYS + GREYS * value / 256;
    int difference = value == red ? green - blue : value == green ? blue - red : red - green;
    int turn = HUES + (value == red ? 0 : value == green ? 6 : 12);  /* a whole one more, so that no number is negative */
    int hue = (6 * difference + chroma + 2 * chroma * turn) / (2 * chroma) % HUES;
    int saturation = SATURATIONS * chroma / value;
    if (saturation >= SATURATIONS) saturation = SATURATIONS - 1;
    return (hue * SATURATIONS + saturation) * THIRDS + THIRDS * value / 256;
}

PyObject *pixel_colours(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *object, *result = NULL;
    Array pixels = {0};
    uint8_t *colours;
    if (!PyArg_ParseTuple(arguments, "O", &object)) return NULL;
    if (!open_array(object, UINT8, &pixels, "pixels")) goto done;
    REFUSE_IF(pixels.n % 3, "pixels without one of three channels");
    if (!(result = new_values(pixels.n / 3, 1, (void **)&colours))) goto done;
    const uint8_t *channels = VALUES(pixels, uint8_t);
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t at = 0; at < pixels.n / 3; at++, channels += 3)
        colours[at] = (uint8_t)colour_of(channels[0], channels[1], channels[2]);
    Py_END_ALLOW_THREADS
done:
    close_arrays(&pixels, 1);
    return result;
}

typedef float Image[SIDE][SIDE];
typedef double Row[SIDE];
/* A row with its mirror images on both sides. */
typedef double WideRow[MOST_REACH + SIDE + MOST_REACH];
/* Several numbers that are added and multiplied at once, read at any place. */
typedef float Four __attribute__((vector_size(16)));
typedef double Two __attribute__((vector_size(16)));

typedef struct {
    int reach;
    float narrow[FILTERS][MOST_REACH + 1];
    double wide[FILTERS][MOST_REACH + 1];
} Filters;

static inline Four four(const float *from) {
    Four found;
    memcpy(&found, from, sizeof found);
    return found;
}

static inline Two two(const double *from) {
    Two found;
    memcpy(&found, from, sizeof found);
    return found;
}

static inline void widen(Four from, double *to) {
    for (int lane = 0; lane < 4; lane++) to[lane] = from[lane];
}

static inline int mirrored(int place) { return place < 0 ? -1 - place : place >= SIDE ? 2 * SIDE - 1 - place : place; }

/* Filter the columns of the image, for one row of each result. */
static void down(const Image image, int y, const Filters *filters, WideRow *rows) {
    const float *upper[MOST_REACH + 1], *lower[MOST_REACH + 1];
    for (int shift = 1; shift <= filters->reach; shift++)
        upper[shift] = image[mirrored(y - shift)], lower[shift] = image[mirrored(y + shift)];
    const float (*by)[MOST_REACH + 1] = filters->narrow;
    for (int x = 0; x < SIDE; x += 4) {
        Four middle = four(image[y] + x), a = middle * by[0][0], b = middle * by[1][0], c = middle * by[2][0], d = {0};
        for (int shift = 1; shift <= filters->reach; shift++) {
            Four above = four(upper[shift] + x), below = four(lower[shift] + x), sum = above + below;
            a += sum * by[0][shift];
            b += sum * by[1][shift];
            c += sum * by[2][shift];
            d += (below - above) * by[3][shift];
        }
        widen(a, rows[0] + MOST_REACH + x);
        widen(b, rows[1] + MOST_REACH + x);
        widen(c, rows[2] + MOST_REACH + x);
        widen(d, rows[3] + MOST_REACH + x);
    }
    for (int filter = 0; filter < FILTERS; filter++) {
        double *row = rows[filter] + MOST_REACH;
        for (int x = 0; x < filters->reach; x++) row[-1 - x] = row[x], row[SIDE + x] = row[SIDE - 1 - x];
    }
}

/* Filter a row along itself; sign: of the values before the middle of the filter. */
static inline __attribute__((always_inline)) void along(
    const WideRow row, int reach, const double *filter, double sign, Row result
) {
    for (int x = 0; x < SIDE; x += 8) {
        const double *at = row + MOST_REACH + x;
        Two a = two(at) * filter[0], b = two(at + 2) * filter[0], c = two(at + 4) * filter[0], d = two(at + 6) * filter[0];
        for (int shift = 1; shift <= reach; shift++) {
            const double *after = at + shift, *before = at - shift;
            a += (two(after) + sign * two(before)) * filter[shift];
            b += (two(after + 2) + sign * two(before + 2)) * filter[shift];
            c += (two(after + 4) + sign * two(before + 4)) * filter[shift];
            d += (two(after + 6) + sign * two(before + 6)) * filter[shift];
        }
        const Two found[] = {a, b, c, d};
        memcpy(result + x, found, sizeof found);
    }
}

static void along_even(const WideRow row, int reach, const double *filter, Row result) {
    along(row, reach, filter, 1, result);
}

static void along_odd(const WideRow row, int reach, const double *filter, Row result) {
    along(row, reach, filter, -1, result);
}

/* Add the squares of the responses of a row to the energies of its blocks. */
static void add_squares(const Row response, int64_t *energies) {
    for (int block = 0; block < GRID; block++, response += BLOCK) {
        Two sum = {0};
        for (int x = 0; x < BLOCK; x += 2) {
            Two steps = (two(response + x) * STEPS + ROUNDING) - ROUNDING;
            sum += steps * steps;
        }
        energies[block] += (int64_t)(sum[0] + sum[1]);
    }
}

static void add_up(const Image image, const Filters *filters, int64_t *energies) {
    enum { PLAIN, COSINE, DIAGONAL_COSINE, DIAGONAL_SINE };
    const int reach = filters->reach;
    WideRow rows[FILTERS];
    Row found[FILTERS], even, odd;  /* found: at 0, 45, 90 and 135 degrees */
    for (int y = 0; y < SIDE; y++) {
        down(image, y, filters, rows);
        along_even(rows[PLAIN], reach, filters->wide[COSINE], found[0]);
        along_even(rows[COSINE], reach, filters->wide[PLAIN], found[2]);
        along_even(rows[DIAGONAL_COSINE], reach, filters->wide[DIAGONAL_COSINE], even);
        along_odd(rows[DIAGONAL_SINE], reach, filters->wide[DIAGONAL_SINE], odd);
        for (int x = 0; x < SIDE; x++) found[1][x] = even[x] - odd[x], found[3][x] = even[x] + odd[x];
        for (int filter = 0; filter < FILTERS; filter++)
            add_squares(found[filter], energies + (filter * GRID + y / BLOCK) * GRID);
    }
}

/* Read the halves of filters; false for other than whole numbers whose sums over the columns are below 2^24. */
static bool read_filters(const double *halves, int reach, Filters *filters) {
    filters->reach = reach;
    for (int filter = 0; filter < FILTERS; filter++) {
        double sum = 0;
        for (int shift = 0; shift <= reach; shift++) {
            double coefficient = *halves++;
            if (!(coefficient > -65536 && coefficient < 65536) || coefficient != (int)coefficient) return false;
            sum += (shift ? 2 : 1) * (coefficient < 0 ? -coefficient : coefficient);
            filters->wide[filter][shift] = coefficient;
            filters->narrow[filter][shift] = (float)coefficient;
        }
        if (sum * LARGEST >= 1 << 24) return false;
    }
    return filters->wide[FILTERS - 1][0] == 0;
}

PyObject *texture_energies(PyObject *Py_UNUSED(module), PyObject *arguments) {
    PyObject *objects[2], *result = NULL;
    Array arrays[2] = {0};
    Filters filters;
    int64_t *energies;
    float (*image)[SIDE] = NULL;
    if (!PyArg_ParseTuple(arguments, "OO", objects, objects + 1)) return NULL;
    if (!open_array(objects[0], UINT8, arrays, "values") || !open_array(objects[1], FLOAT64, arrays + 1, "filters"))
        goto done;
    Py_ssize_t length = arrays[1].n / FILTERS;
    REFUSE_IF(
        arrays[0].n != SIDE * SIDE || arrays[1].n % FILTERS || length < 1 || length > MOST_REACH + 1 ||
        !read_filters(VALUES(arrays[1], double), (int)length - 1, &filters),
        "an image of 256 x 256 values, and halves of four filters with exact sums");
    if (!(image = memory(SIDE * SIDE, sizeof(float))) || !(result = new_values(FILTERS * GRID * GRID, 8, (void **)&energies)))
        goto done;
    memset(energies, 0, FILTERS * GRID * GRID * sizeof *energies);
    Py_BEGIN_ALLOW_THREADS
    for (int place = 0; place < SIDE * SIDE; place++) image[0][place] = VALUES(arrays[0], uint8_t)[place];
    add_up(image, &filters, energies);
    Py_END_ALLOW_THREADS
done:
    give_back(image);
    close_arrays(arrays, 2);
    return result;
}
