/* Names for C: nothing that a path or a model says can end up as anything but
 * an identifier, the inside of a comment or the inside of a string. */
#include "firmware_int.h"

#include <string.h>

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9');
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The last part of the path up to its last dot, a leading one not counted. */
static size_t stem_of(const char *path, const char **stem)
{
    const char *slash = strrchr(path, '/');
    *stem = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(*stem, '.');
    return dot == NULL || dot == *stem ? strlen(*stem) : (size_t)(dot - *stem);
}

/* No identifier gets two underscores in a row, or one at an end: C++ reserves
 * such names. Keywords and leading digits are no matter, since everything is
 * written behind "berth_". */
void berth_firmware_name(const char *path, char *name, size_t size)
{
    const char *stem = NULL;
    const size_t length = stem_of(path, &stem);
    size_t at = 0;
    bool gap = false;
    for (size_t i = 0; i < length && at + 2 < size; ++i) {
        if (!is_plain(stem[i])) {
            gap = at > 0;
            continue;
        }
        if (gap) {
            name[at++] = '_';
            gap = false;
        }
        name[at++] = lower(stem[i]);
    }
    name[at] = '\0';
    if (at == 0) {
        (void)snprintf(name, size, "model");
    }
}

void firmware_capitals(const char *name, char *capitals, size_t size)
{
    size_t at = 0;
    for (; name[at] != '\0' && at + 1 < size; ++at) {
        const char c = name[at];
        capitals[at] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    capitals[at] = '\0';
}

void firmware_comment(berth_bytes bytes, size_t most, FILE *out)
{
    for (size_t i = 0; i < bytes.size && i < most; ++i) {
        const uint8_t c = bytes.data[i];
        if (c >= 0x20 && c < 0x7f && strchr("*\\?", (int)c) == NULL) {
            (void)fputc((int)c, out);
        } else {
            (void)fprintf(out, "\\x%02x", (unsigned)c);
        }
    }
    (void)fputs(bytes.size > most ? "..." : "", out);
}

void firmware_literal(berth_bytes bytes, size_t most, FILE *out)
{
    (void)fputc('"', out);
    for (size_t i = 0; i < bytes.size && i < most; ++i) {
        const uint8_t c = bytes.data[i];
        if (c >= 0x20 && c < 0x7f && strchr("\"\\?", (int)c) == NULL) {
            (void)fputc((int)c, out);
        } else {
            (void)fprintf(out, "\\%03o", (unsigned)c);
        }
    }
    (void)fputc('"', out);
}
