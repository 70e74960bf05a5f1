/* The parts of the score of an element by Okapi's frequency in text blocks (letter K), and the share of the query. */
#ifndef FOXIR_SHARES_H
#define FOXIR_SHARES_H

#include "arrays.h"

/* What the length of a unit adds to the divisor of its frequencies. */
static inline double norm_of(double words, double k1, double b, double block) {
    double length = words / block;
    return k1 * ((1 - b) + b * (length > 1.0 ? length : 1.0));
}

static inline double frequency_of(double tf, double k1, double norm) {
    double divisor = norm + tf;
    return divisor != 0 ? (k1 + 1) * tf / divisor : 0.0;
}

/* The weight of the terms in a unit as a share of the query's weight, 0 to 1: terms may weigh less than 0. */
static inline double share_of(double covered, double of_query) {
    double share = of_query > 0 ? covered / of_query : 0.0;
    return share < 0.0 ? 0.0 : share < 1.0 ? share : 1.0;
}

#endif
