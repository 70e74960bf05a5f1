/* A hash of the bytes of a slice; it depends on a seed that whoever wrote the text does not know. */
#ifndef FOXIR_HASHES_H
#define FOXIR_HASHES_H

#include "arrays.h"

/* The high and the low half of a product of 128 bits, folded. */
static inline uint64_t folded(uint64_t a, uint64_t b) {
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t middle = a_high * b_low + (a_low * b_low >> 32), other = a_low * b_high + (uint32_t)middle;
    return (a_high * b_high + (middle >> 32) + (other >> 32)) ^ (a * b);
}

static inline uint64_t hash_of_bytes(const uint8_t *bytes, int64_t length, uint64_t seed) {
    uint64_t hash = seed ^ (uint64_t)length << 32, eight;
    for (; length > 8; bytes += 8, length -= 8) {
        memcpy(&eight, bytes, 8);
        hash = folded(hash ^ eight, 0xd6e8feb86659fd93u);
    }
    eight = 0;
    memcpy(&eight, bytes, (size_t)length);
    return folded(hash ^ eight, 0x9e3779b97f4a7c15u);
}

#endif
