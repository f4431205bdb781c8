/* CRC-32 by a table of sixteen rows, half a byte at a time; SHA-256 as its
 * standard tells it, a block of 64 bytes at a time. */
#include "berth/digest.h"

#include <string.h>

/* --- CRC-32 -----------------------------------------------------------------
 */

static const uint32_t crc_rows[16] = {
    0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu,
    0x76dc4190u, 0x6b6b51f4u, 0x4db26158u, 0x5005713cu,
    0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu,
    0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu,
};

uint32_t berth_crc32(berth_bytes bytes)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < bytes.size; ++i) {
        crc ^= bytes.data[i];
        crc = crc >> 4 ^ crc_rows[crc & 15u];
        crc = crc >> 4 ^ crc_rows[crc & 15u];
    }
    return ~crc;
}

/* --- SHA-256 ----------------------------------------------------------------
 */

enum { SHA_BLOCK = 64, SHA_WORDS = 8, SHA_ROUNDS = 64 };

/* Of the square roots of the first 8 primes, and the cube roots of the first
 * 64, the first 32 bits behind the point. */
static const uint32_t sha_start[SHA_WORDS] = {
    0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
    0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u,
};

static const uint32_t sha_round[SHA_ROUNDS] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu,
    0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u, 0xd807aa98u, 0x12835b01u,
    0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u,
    0xc19bf174u, 0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu,
    0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau, 0x983e5152u,
    0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u,
    0x06ca6351u, 0x14292967u, 0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu,
    0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u,
    0xd6990624u, 0xf40e3585u, 0x106aa070u, 0x19a4c116u, 0x1e376c08u,
    0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu,
    0x682e6ff3u, 0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u,
    0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u,
};

static uint32_t turn(uint32_t x, uint32_t bits)
{
    return x >> bits | x << (32u - bits);
}

static uint32_t big_endian(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
           (uint32_t)at[2] << 8 | (uint32_t)at[3];
}

/* Word i of the message schedule, of which the last sixteen are kept. */
static uint32_t sha_word(uint32_t words[16], uint32_t i)
{
    if (i >= 16) {
        const uint32_t a = words[(i + 1) % 16];
        const uint32_t b = words[(i + 14) % 16];
        words[i % 16] += (turn(a, 7) ^ turn(a, 18) ^ a >> 3) +
                         words[(i + 9) % 16] +
                         (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
    return words[i % 16];
}

static void sha_block(uint32_t state[SHA_WORDS], const uint8_t *block)
{
    uint32_t words[16];
    uint32_t s[SHA_WORDS];
    for (uint32_t i = 0; i < 16; ++i) {
        words[i] = big_endian(block + (size_t)4 * i);
    }
    memcpy(s, state, sizeof(s));
    for (uint32_t i = 0; i < SHA_ROUNDS; ++i) {
        const uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const uint32_t most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        const uint32_t first =
            s[7] + choice + sha_round[i] +
            (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
            sha_word(words, i);
        const uint32_t second =
            most + (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22));
        memmove(s + 1, s, (SHA_WORDS - 1) * sizeof(*s));
        s[4] += first;
        s[0] = first + second;
    }
    for (uint32_t i = 0; i < SHA_WORDS; ++i) {
        state[i] += s[i];
    }
}

/* What is left of the message, a one bit, zeros, and the length in bits. */
static void sha_end(uint32_t state[SHA_WORDS], berth_bytes rest, uint64_t bytes)
{
    uint8_t block[2 * SHA_BLOCK] = {0};
    const size_t used =
        rest.size + 1 + 8 <= SHA_BLOCK ? SHA_BLOCK : 2 * SHA_BLOCK;
    const uint64_t bits = bytes * 8;
    if (rest.size > 0) {
        memcpy(block, rest.data, rest.size);
    }
    block[rest.size] = 0x80;
    for (uint32_t i = 0; i < 8; ++i) {
        block[used - 1 - i] = (uint8_t)(bits >> (8 * i));
    }
    for (size_t at = 0; at < used; at += SHA_BLOCK) {
        sha_block(state, block + at);
    }
}

void berth_sha256(berth_bytes bytes, uint8_t hash[BERTH_SHA256_BYTES])
{
    uint32_t state[SHA_WORDS];
    size_t at = 0;
    memcpy(state, sha_start, sizeof(state));
    for (; bytes.size - at >= SHA_BLOCK; at += SHA_BLOCK) {
        sha_block(state, bytes.data + at);
    }
    const berth_bytes rest = {bytes.size == at ? NULL : bytes.data + at,
                              bytes.size - at};
    sha_end(state, rest, bytes.size);
    for (uint32_t i = 0; i < BERTH_SHA256_BYTES; ++i) {
        hash[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
    }
}
