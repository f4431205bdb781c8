/* csv_field.h: names as fields of a CSV. */
#ifndef BERTH_HOSTED_CSV_FIELD_H
#define BERTH_HOSTED_CSV_FIELD_H

#include <stdio.h>

#include "berth/base.h"

enum { CSV_ESCAPED_MAX = 256 };

/* Takes the front of a name, and what is no printable text in it as \xNN. An
 * escaped name has at most four times the bytes, and escapes to itself. */
void csv_take_escaped(berth_bytes *name, char text[CSV_ESCAPED_MAX]);

/* Whether it is printable ASCII, and so escapes to itself. */
bool csv_is_plain(berth_bytes name);

/* One field: escaped, in quotes where it needs them. */
void csv_put_text(FILE *out, berth_bytes name);

#endif
