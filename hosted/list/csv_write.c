/* Plans as CSV: the columns that the reader knows, those of MiniMalloc first
 * and in its order. */
#include "list_int.h"

#include "report/csv_field.h"

#include <inttypes.h>

/* A column, and whether any buffer needs it. */
typedef struct csv_columns {
    bool model;
    bool alignment;
    bool gaps;
    bool region;
    bool name;
} csv_columns;

static csv_columns find_columns(const berth_plans *plans)
{
    csv_columns found = {.model = plans->sharing != BERTH_SHARING_ALONE};
    for (uint32_t p = 0; p < plans->count; ++p) {
        const berth_list *list = &plans->parts[p].source->list;
        found.alignment = found.alignment || list->has_alignment;
        found.region = found.region || list->has_region;
        for (uint32_t i = 0; i < list->problem.item_count; ++i) {
            const berth_item *item = &list->problem.items[i];
            found.alignment = found.alignment || item->align != 1;
            found.gaps = found.gaps || item->span_count > 1;
            found.name = found.name || list->entries[i].name.size > 0;
        }
    }
    return found;
}

static void put_header(const csv_columns *columns, FILE *out)
{
    (void)fprintf(
        out, "%sid,lower,upper,size%s%s%s,offset%s\n",
        columns->model ? "model," : "", columns->alignment ? ",alignment" : "",
        columns->gaps ? ",gaps" : "", columns->region ? ",region" : "",
        columns->name ? ",name" : "");
}

/* The moment that a step stands for. */
static uint64_t moment_of(const berth_list *list, uint32_t step)
{
    return list->times == NULL ? step : list->times[step];
}

static void put_gaps(const berth_list *list, const berth_span *spans,
                     uint32_t count, FILE *out)
{
    (void)fputc(',', out);
    for (uint32_t i = 1; i < count; ++i) {
        (void)fprintf(out, "%s%" PRIu64 "-%" PRIu64, i == 1 ? "" : " ",
                      moment_of(list, spans[i - 1u].dead),
                      moment_of(list, spans[i].born));
    }
}

/* One that is pinned has its bytes all the time, whoever needs them when. */
static void put_row(const csv_columns *columns, const berth_part *part,
                    uint32_t i, FILE *out)
{
    const berth_list *list = &part->source->list;
    const berth_item *item = &list->problem.items[i];
    const berth_span all = {0, list->problem.step_count};
    const bool pinned = (item->flags & BERTH_ITEM_PINNED) != 0;
    const berth_span *spans =
        pinned ? &all : &list->problem.spans[item->first_span];
    const uint32_t count = pinned ? 1u : item->span_count;
    csv_put_text(out, list->entries[i].id);
    (void)fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                  moment_of(list, spans[0].born),
                  moment_of(list, spans[count - 1u].dead), item->size);
    if (columns->alignment) {
        (void)fprintf(out, ",%" PRIu32, item->align);
    }
    if (columns->gaps) {
        put_gaps(list, spans, count, out);
    }
    (void)fprintf(out, "%s,%" PRIu64, columns->region ? ",0" : "",
                  part->base_bytes + part->plan.offset[i]);
    if (columns->name) {
        (void)fputc(',', out);
        csv_put_text(out, list->entries[i].name);
    }
    (void)fputc('\n', out);
}

void berth_plans_csv(const berth_plans *plans, FILE *out)
{
    const csv_columns columns = find_columns(plans);
    put_header(&columns, out);
    for (uint32_t p = 0; p < plans->count; ++p) {
        const berth_part *part = &plans->parts[p];
        for (uint32_t i = 0; i < part->source->list.problem.item_count; ++i) {
            if (columns.model) {
                csv_put_text(out, list_text(part->source->label));
                (void)fputc(',', out);
            }
            put_row(&columns, part, i, out);
        }
    }
}
