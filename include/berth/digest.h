/* berth/digest.h: two sums over bytes: CRC-32, which finds accidents, and
 * SHA-256, which tells files apart.
 *
 *     uint8_t hash[BERTH_SHA256_BYTES];
 *     berth_sha256(file, hash);
 */
#ifndef BERTH_DIGEST_H
#define BERTH_DIGEST_H

#include "berth/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BERTH_SHA256_BYTES 32u

/* The CRC of zip, gzip and PNG: polynomial 0x04c11db7, bits reflected, start
 * and end inverted; of "123456789" it is 0xcbf43926. */
uint32_t berth_crc32(berth_bytes bytes);

/* FIPS 180-4. */
void berth_sha256(berth_bytes bytes, uint8_t hash[BERTH_SHA256_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
