/* The word that somebody meant: least edit distance, counting a swap of two
 * neighbours as one, if that is at most a third of the word. Whoever wrote the
 * beginning of a word, two letters or more, meant it as if one was wrong. */
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

static bool begins(const char *word, const char *beginning)
{
    return strncmp(beginning, word, strlen(beginning)) == 0;
}

void cli_nearest_try(cli_nearest *nearest, const char *word)
{
    if (strlen(word) > CLI_WORD_MAX || strlen(nearest->wrong) > CLI_WORD_MAX) {
        return;
    }
    uint32_t distance = edit_distance(nearest->wrong, word);
    if (strlen(nearest->wrong) > 1u && begins(word, nearest->wrong)) {
        distance = least_of(distance, 1u);
    }
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
    return nearest->distance <= most ? nearest->best : NULL;
}
