/* Values that people write on a command line. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

/* Decimal digits up to the first other byte; false: none, or beyond 64 bits. */
static bool read_digits(const char **text, uint64_t *value)
{
    const char *at = *text;
    uint64_t sum = 0;
    for (; *at >= '0' && *at <= '9'; ++at) {
        if (!berth_mul_u64(sum, 10u, &sum) ||
            !berth_add_u64(sum, (uint64_t)(*at - '0'), &sum)) {
            return false;
        }
    }
    if (at == *text) {
        return false;
    }
    *text = at;
    *value = sum;
    return true;
}

/* 77824, 76K, 76KB, 76KiB: K is 1024 here, however it is spelled. */
bool cli_read_bytes(const char *text, uint64_t *bytes)
{
    static const char *const units[] = {"k", "m", "g"};
    const char *at = text;
    uint64_t value = 0;
    if (!read_digits(&at, &value)) {
        return false;
    }
    char unit[4] = "";
    if (strlen(at) >= sizeof(unit)) {
        return false;
    }
    for (size_t i = 0; at[i] != '\0'; ++i) {
        unit[i] = (char)tolower((unsigned char)at[i]);
    }
    if (unit[0] == '\0' || strcmp(unit, "b") == 0) {
        *bytes = value;
        return true;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); ++i) {
        value = berth_mul_u64(value, 1024u, &value) ? value : UINT64_MAX;
        if (unit[0] == units[i][0] &&
            (unit[1] == '\0' || strcmp(unit + 1, "b") == 0 ||
             strcmp(unit + 1, "ib") == 0)) {
            *bytes = value;
            return value != UINT64_MAX;
        }
    }
    return false;
}

/* 500ms, 5s, 2m, 1h; plain numbers are seconds. */
bool cli_read_time(const char *text, uint64_t *ns)
{
    static const struct unit {
        const char *name;
        uint64_t ns;
    } units[] = {{"", 1000000000u},
                 {"s", 1000000000u},
                 {"ms", 1000000u},
                 {"m", UINT64_C(60000000000)},
                 {"h", UINT64_C(3600000000000)}};
    uint64_t value = 0;
    if (!read_digits(&text, &value)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); ++i) {
        if (strcmp(text, units[i].name) == 0) {
            return value > 0 && berth_mul_u64(value, units[i].ns, ns);
        }
    }
    return false;
}

/* NAME=1,96,96,3. The last = is the one that counts, since names may have
 * some; nothing after it is the shape of a scalar. */
bool cli_read_shape(const char *text, berth_named_shape *shape)
{
    const char *equals = strrchr(text, '=');
    if (equals == NULL || equals == text) {
        return false;
    }
    *shape = (berth_named_shape){
        .name = {(const uint8_t *)text, (size_t)(equals - text)}};
    const char *at = equals + 1;
    while (*at != '\0') {
        uint64_t dim = 0;
        if (shape->rank == BERTH_RANK_MAX || !read_digits(&at, &dim) ||
            dim > INT32_MAX) {
            return false;
        }
        shape->dims[shape->rank++] = (int32_t)dim;
        if (*at == '\0') {
            return true;
        }
        if ((*at != ',' && *at != 'x') || at[1] == '\0') {
            return false;
        }
        ++at;
    }
    return true;
}
