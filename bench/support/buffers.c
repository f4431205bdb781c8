#include "buffers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_fail(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(4);
}

void buffers_add(bench_buffers *b, uint32_t born, uint32_t dead, uint64_t size,
                 uint32_t align)
{
    const uint32_t i = b->problem.item_count;
    if (i == b->capacity) {
        b->capacity = b->capacity == 0 ? 256 : b->capacity * 2;
        b->items = realloc(b->items, b->capacity * sizeof(*b->items));
        b->spans = realloc(b->spans, b->capacity * sizeof(*b->spans));
        if (b->items == NULL || b->spans == NULL) {
            bench_fail("no memory");
        }
    }
    b->items[i] = (berth_item){.size = size,
                               .fixed = BERTH_NOWHERE,
                               .align = align,
                               .first_span = i,
                               .span_count = 1,
                               .regions = 1};
    b->spans[i] = (berth_span){born, dead};
    b->problem.items = b->items;
    b->problem.spans = b->spans;
    b->problem.item_count = i + 1;
    b->problem.span_count = i + 1;
    if (dead > b->problem.step_count) {
        b->problem.step_count = dead;
    }
}

void buffers_free(bench_buffers *b)
{
    free(b->items);
    free(b->spans);
    *b = (bench_buffers){0};
}

bool buffers_read(bench_buffers *b, const char *path)
{
    char line[256];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        uint32_t born = 0;
        uint32_t dead = 0;
        uint64_t size = 0;
        const char *fields = strchr(line, ',');
        if (fields != NULL &&
            sscanf(fields, ",%" SCNu32 ",%" SCNu32 ",%" SCNu64, &born, &dead,
                   &size) == 3) {
            buffers_add(b, born, dead, size, 1);
        }
    }
    fclose(file);
    return b->problem.item_count > 0;
}

/* --- random numbers: splitmix64
 * ------------------------------------------------- */

static uint64_t random_state = 1;

void buffers_seed(uint64_t seed)
{
    random_state = seed;
}

uint32_t buffers_below(uint32_t end)
{
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (uint32_t)((z >> 32) * end >> 32);
}

/* --- by name
 * -------------------------------------------------------------------- */

bool buffers_make(bench_buffers *b, const char *name)
{
    for (uint32_t k = 0; k < buffers_kind_count; ++k) {
        const buffers_kind *kind = &buffers_kinds[k];
        const size_t length = strlen(kind->name);
        if (strncmp(name, kind->name, length) == 0 && name[length] == ':') {
            char *end = NULL;
            const unsigned long count = strtoul(name + length + 1, &end, 10);
            buffers_seed(*end == ':' ? strtoul(end + 1, NULL, 10) : 1);
            kind->make(b, (uint32_t)count);
            return b->problem.item_count > 0;
        }
    }
    return false;
}
