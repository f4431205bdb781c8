/* Plans as JSON: docs/plan.schema.json. */
#include "list_int.h"

#include "report/stream.h"

#include <string.h>

static json_t *json_fit(const berth_plans *plans)
{
    static const char *const words[] = {"yes", "no", "unknown"};
    return plans->has_capacity ? json_string(words[plans->fit]) : json_null();
}

static json_t *json_hash(const uint8_t *hash)
{
    static const char digits[] = "0123456789abcdef";
    char text[2u * BERTH_SHA256_BYTES];
    for (size_t i = 0; i < BERTH_SHA256_BYTES; ++i) {
        text[2u * i] = digits[hash[i] >> 4];
        text[2u * i + 1u] = digits[hash[i] & 15u];
    }
    return json_stringn(text, sizeof(text));
}

/* Pairs of moments, end exclusive. */
static json_t *json_lives(const berth_list *list, const berth_item *item)
{
    json_t *lives = json_array();
    for (uint32_t i = 0; i < item->span_count; ++i) {
        const berth_span *span = &list->problem.spans[item->first_span + i];
        const uint64_t born =
            list->times == NULL ? span->born : list->times[span->born];
        const uint64_t dead =
            list->times == NULL ? span->dead : list->times[span->dead];
        (void)json_array_append_new(
            lives, json_pack("[I, I]", (json_int_t)born, (json_int_t)dead));
    }
    return lives;
}

static void stream_buffers(stream *s, const berth_part *part)
{
    const berth_list *list = &part->source->list;
    stream_open(s, "buffers", '[');
    for (uint32_t i = 0; i < list->problem.item_count; ++i) {
        const berth_item *item = &list->problem.items[i];
        const berth_list_entry *entry = &list->entries[i];
        stream_value(
            s, NULL,
            json_pack(
                "{so, so, so, sI, sI, so}", "id", json_name(entry->id), "name",
                entry->name.size > 0 ? json_name(entry->name) : json_null(),
                "lives", json_lives(list, item), "size", (json_int_t)item->size,
                "alignment", (json_int_t)item->align, "offset",
                json_number(true, part->base_bytes + part->plan.offset[i])));
    }
    stream_close(s, ']');
}

static json_t *json_signature(const berth_source *source)
{
    return source->signature == BERTH_NONE
               ? json_null()
               : json_name(berth_model_signature(source->loaded.model,
                                                 source->signature)
                               .name);
}

static void stream_part(stream *s, const berth_part *part)
{
    const berth_source *source = part->source;
    const berth_plan *plan = &part->plan;
    stream_open(s, NULL, '{');
    stream_value(s, "file", json_name(list_text(source->label)));
    stream_value(s, "kind", json_string(source->is_csv ? "list" : "model"));
    stream_value(s, "sha256", json_hash(source->hash));
    stream_value(s, "signature", json_signature(source));
    stream_value(s, "strategy",
                 json_string(berth_strategy_name(part->strategy)));
    stream_value(s, "found_by",
                 json_string(berth_strategy_name(plan->strategy)));
    stream_value(s, "peak_bytes", json_number(true, plan->peak));
    stream_value(s, "bound_bytes", json_number(true, plan->bound));
    stream_value(s, "proven", json_boolean(plan->proof == BERTH_PROOF_PROVEN));
    stream_value(s, "nodes", json_number(true, plan->nodes));
    stream_value(s, "base_bytes", json_number(true, part->base_bytes));
    stream_value(s, "state_bytes", json_number(true, part->state_bytes));
    stream_value(s, "books_bytes", json_number(true, part->books_bytes));
    stream_buffers(s, part);
    stream_close(s, '}');
}

bool berth_plans_json(const berth_plans *plans, FILE *out)
{
    stream s = {.out = out};
    stream_open(&s, NULL, '{');
    stream_value(&s, "format", json_string(LIST_JSON_FORMAT));
    stream_value(&s, "version", json_integer(LIST_JSON_VERSION));
    stream_value(&s, "sharing",
                 json_string(berth_sharing_name(plans->sharing)));
    stream_value(&s, "peak_bytes", json_number(true, plans->peak_bytes));
    stream_value(&s, "bound_bytes", json_number(true, plans->bound_bytes));
    stream_value(&s, "proven",
                 json_boolean(plans->peak_bytes == plans->bound_bytes));
    stream_value(&s, "capacity_bytes",
                 json_number(plans->has_capacity, plans->capacity_bytes));
    stream_value(&s, "fits", json_fit(plans));
    stream_open(&s, "files", '[');
    for (uint32_t i = 0; i < plans->count; ++i) {
        stream_part(&s, &plans->parts[i]);
    }
    stream_close(&s, ']');
    stream_close(&s, '}');
    (void)fputc('\n', out);
    return !s.failed;
}
