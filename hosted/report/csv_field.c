/* Names that are too long for a line of a page, escaped as there, and quoted as
 * a CSV wants it. */
#include "csv_field.h"

#include "report_int.h"

enum { CHUNK = 40 }; /* such that word_name() never cuts it */

_Static_assert((int)CSV_ESCAPED_MAX == (int)WORD_NAME, "room for a word");

/* The front of a name, up to CHUNK bytes, cut between characters. */
static berth_bytes take_chunk(berth_bytes *name)
{
    berth_bytes chunk = *name;
    if (chunk.size > CHUNK) {
        chunk.size = CHUNK;
        while (chunk.size > CHUNK - 4u &&
               (name->data[chunk.size] & 0xC0u) == 0x80u) {
            --chunk.size;
        }
    }
    name->data += chunk.size;
    name->size -= chunk.size;
    return chunk;
}

void csv_take_escaped(berth_bytes *name, char text[CSV_ESCAPED_MAX])
{
    (void)word_name(text, take_chunk(name), WORD_NAME - 16u);
}

bool csv_is_plain(berth_bytes name)
{
    for (size_t i = 0; i < name.size; ++i) {
        if (name.data[i] < 0x20u || name.data[i] >= 0x7Fu) {
            return false;
        }
    }
    return true;
}

static bool needs_quotes(berth_bytes name)
{
    for (size_t i = 0; i < name.size; ++i) {
        const uint8_t byte = name.data[i];
        const bool end = i == 0 || i + 1u == name.size;
        if (byte == ',' || byte == '"' || (end && byte == ' ')) {
            return true;
        }
    }
    return false;
}

void csv_put_text(FILE *out, berth_bytes name)
{
    const bool quoted = needs_quotes(name);
    (void)fputs(quoted ? "\"" : "", out);
    while (name.size > 0) {
        char text[CSV_ESCAPED_MAX];
        csv_take_escaped(&name, text);
        for (const char *at = text; *at != '\0'; ++at) {
            (void)fputs(*at == '"' ? "\"" : "", out);
            (void)fputc(*at, out);
        }
    }
    (void)fputs(quoted ? "\"" : "", out);
}
