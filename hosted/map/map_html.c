/* The page: page.html with two places filled in, the policy and the data. The
 * policy allows exactly the page's own style and script, by their hashes, and
 * nothing else: no network, no frames, no forms, no script in attributes. */
#include "map_int.h"

#include "berth/digest.h"

#include <string.h>

/* Where a text begins in the page, or its end. */
static size_t find_in_page(const char *text)
{
    const char *at = strstr((const char *)map_page, text);
    return at == NULL ? map_page_size : (size_t)(at - (const char *)map_page);
}

static berth_bytes page_between(const char *open, const char *close)
{
    size_t from = find_in_page(open);
    const size_t end = find_in_page(close);
    from += from < end ? strlen(open) : 0;
    return from < end ? (berth_bytes){map_page + from, end - from}
                      : (berth_bytes){map_page, 0};
}

/* 32 bytes in base64: ten groups of three, and one of two. */
static void put_base64(const uint8_t *bytes, size_t size, FILE *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqr"
                                 "stuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3u) {
        const size_t left = size - i;
        const uint32_t group = (uint32_t)bytes[i] << 16 |
                               (left > 1u ? (uint32_t)bytes[i + 1u] << 8 : 0) |
                               (left > 2u ? (uint32_t)bytes[i + 2u] : 0);
        for (size_t k = 0; k < 4u; ++k) {
            (void)fputc(k > left ? '=' : digits[group >> (18u - 6u * k) & 63u],
                        out);
        }
    }
}

static void put_hash(berth_bytes bytes, FILE *out)
{
    uint8_t hash[BERTH_SHA256_BYTES];
    berth_sha256(bytes, hash);
    (void)fputs("'sha256-", out);
    put_base64(hash, sizeof(hash), out);
    (void)fputc('\'', out);
}

static void put_policy(FILE *out)
{
    (void)fputs("default-src 'none'; script-src ", out);
    put_hash(page_between("<script>", "</script><!--end-->"), out);
    (void)fputs("; style-src ", out);
    put_hash(page_between("<style>", "</style>"), out);
    (void)fputs("; base-uri 'none'; form-action 'none'", out);
}

static void put_page(size_t from, size_t end, FILE *out)
{
    (void)fwrite(map_page + from, 1, end - from, out);
}

bool berth_map_html(const berth_map *map, FILE *out)
{
    static const char policy[] = "@POLICY@";
    static const char data[] = "@DATA@";
    const size_t policy_at = find_in_page(policy);
    const size_t data_at = find_in_page(data);
    put_page(0, policy_at, out);
    put_policy(out);
    put_page(policy_at + strlen(policy), data_at, out);
    const bool good = map_put_data(map, out);
    put_page(data_at + strlen(data), map_page_size, out);
    return good;
}
