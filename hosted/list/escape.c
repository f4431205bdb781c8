/* Names that are too long for a line of a page, escaped as there. */
#include "list_int.h"

#include "report/report_int.h"

enum { CHUNK = 40 }; /* such that word_name() never cuts it */

_Static_assert((int)LIST_ESCAPED_MAX == (int)WORD_NAME, "room for a word");

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

void list_take_escaped(berth_bytes *name, char text[LIST_ESCAPED_MAX])
{
    (void)word_name(text, take_chunk(name), WORD_NAME - 16u);
}

bool list_is_plain(berth_bytes name)
{
    for (size_t i = 0; i < name.size; ++i) {
        if (name.data[i] < 0x20u || name.data[i] >= 0x7Fu) {
            return false;
        }
    }
    return true;
}
