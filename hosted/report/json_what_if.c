/* What other rules would win or cost, for machines. */
#include "json_int.h"

void stream_rules(stream *s, const berth_report *r)
{
    const berth_lifetime_options *options = &r->staged.lifetime_options;
    const uint32_t set = report_rules_set(options);
    json_t *object = json_object();
    for (uint32_t i = 0; i < BERTH_RULE_COUNT; ++i) {
        const char *name = berth_rule_name((berth_rule)i);
        (void)json_object_set_new(object, name,
                                  i == BERTH_RULE_LAG
                                      ? json_integer(options->lag)
                                      : json_boolean((set >> i) & 1u));
    }
    stream_value(s, "rules", object);
}

static json_t *turned_rules(uint32_t rules)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < BERTH_RULE_COUNT; ++i) {
        if (((rules >> i) & 1u) != 0) {
            (void)json_array_append_new(
                list, json_string(berth_rule_name((berth_rule)i)));
        }
    }
    return list;
}

void stream_what_if(stream *s, const berth_report *r)
{
    if (!r->has_changes) {
        stream_value(s, "what_if", json_null());
        return;
    }
    stream_open(s, "what_if", '[');
    for (uint32_t i = 0; i < r->change_count; ++i) {
        const berth_report_change *change = &r->changes[i];
        const bool known = change->known;
        const json_int_t by = (json_int_t)(change->arena_bytes - r->plan.peak);
        stream_value(
            s, NULL,
            json_pack(
                "{so, ss, so, so, so, so, so, so, so}", "turned",
                turned_rules(change->rules), "text", change->text,
                "arena_bytes", json_number(known, change->arena_bytes),
                "change_bytes", known ? json_integer(by) : json_null(),
                "bound_bytes", json_number(known, change->bound_bytes),
                "total_bytes", json_number(known, change->total_bytes),
                "proven", known ? json_boolean(change->proven) : json_null(),
                "same_problem",
                known ? json_boolean(change->same) : json_null(),
                "outside_bytes", json_number(known, change->outside_bytes)));
    }
    stream_close(s, ']');
}
