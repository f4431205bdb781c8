/* The word that somebody meant: least edit distance, counting a swap of two
 * neighbours as one, if that is at most a third of the word. */
#include "cli.h"

#include <string.h>

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Three rows of the table of distances are enough. */
static uint32_t edit_distance(const char *a, const char *b)
{
    uint32_t rows[3][CLI_WORD_MAX + 1];
    const uint32_t n = (uint32_t)strlen(a);
    const uint32_t m = (uint32_t)strlen(b);
    for (uint32_t j = 0; j <= m; ++j) {
        rows[0][j] = j;
    }
    for (uint32_t i = 1; i <= n; ++i) {
        uint32_t *now = rows[i % 3u];
        const uint32_t *before = rows[(i + 2u) % 3u];
        const uint32_t *earlier = rows[(i + 1u) % 3u];
        now[0] = i;
        for (uint32_t j = 1; j <= m; ++j) {
            const uint32_t differs = a[i - 1u] != b[j - 1u];
            now[j] = least_of(before[j - 1u] + differs,
                              least_of(before[j], now[j - 1u]) + 1u);
            if (i > 1u && j > 1u && a[i - 1u] == b[j - 2u] &&
                a[i - 2u] == b[j - 1u]) {
                now[j] = least_of(now[j], earlier[j - 2u] + 1u);
            }
        }
    }
    return rows[n % 3u][m];
}

void cli_nearest_begin(cli_nearest *nearest, const char *wrong)
{
    *nearest = (cli_nearest){wrong, NULL, UINT32_MAX};
}

void cli_nearest_try(cli_nearest *nearest, const char *word)
{
    if (strlen(word) > CLI_WORD_MAX || strlen(nearest->wrong) > CLI_WORD_MAX) {
        return;
    }
    const uint32_t distance = edit_distance(nearest->wrong, word);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->best = word;
    }
}

const char *cli_nearest_word(const cli_nearest *nearest)
{
    if (nearest->best == NULL) {
        return NULL;
    }
    const uint32_t most = (uint32_t)strlen(nearest->best) / 3u + 1u;
    const bool prefix =
        nearest->wrong[0] != '\0' &&
        strncmp(nearest->wrong, nearest->best, strlen(nearest->wrong)) == 0;
    return nearest->distance <= most || prefix ? nearest->best : NULL;
}
