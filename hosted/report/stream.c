/* Streams JSON: brackets and commas by hand, each value by jansson. */
#include "stream.h"

#include <stdlib.h>

static void begin_entry(stream *s, const char *key)
{
    if (s->follows) {
        (void)fputc(',', s->out);
    }
    if (s->depth > 0) {
        (void)fprintf(s->out, "\n%*s", (int)(2u * s->depth), "");
    }
    if (key != NULL) {
        (void)fprintf(s->out, "\"%s\": ", key); /* our own keys: plain */
    }
}

void stream_open(stream *s, const char *key, char bracket)
{
    begin_entry(s, key);
    (void)fputc(bracket, s->out);
    s->follows = false;
    ++s->depth;
}

void stream_close(stream *s, char bracket)
{
    --s->depth;
    if (s->follows) {
        (void)fprintf(s->out, "\n%*s", (int)(2u * s->depth), "");
    }
    (void)fputc(bracket, s->out);
    s->follows = true;
}

void stream_value(stream *s, const char *key, json_t *value)
{
    if (value == NULL) {
        s->failed = true;
        return;
    }
    begin_entry(s, key);
    (void)json_dumpf(value, s->out, JSON_ENCODE_ANY); /* stdio keeps errors */
    json_decref(value);
    s->follows = true;
}

json_t *json_number(bool known, uint64_t value)
{
    return known && value <= INT64_MAX ? json_integer((json_int_t)value)
                                       : json_null();
}

json_t *json_index(uint32_t index)
{
    return json_number(index != BERTH_NONE, index);
}

json_t *json_name(berth_bytes name)
{
    char small[4u * 256u];
    char *text = small;
    if (name.size > sizeof(small) / 4u) {
        /* jansson's own allocator: malloc is called in hosted/port only, and
         * a name may be as long as its file. */
        json_t *const none = NULL;
        json_malloc_t take = NULL;
        json_free_t give = NULL;
        json_get_alloc_funcs(&take, &give);
        text = name.size <= SIZE_MAX / 4u ? take(4u * name.size) : NULL;
        if (text == NULL) {
            return none;
        }
        json_t *value = json_stringn(text, word_utf8(text, name));
        give(text);
        return value;
    }
    return json_stringn(text, word_utf8(text, name));
}
