/* The model as an array that any C11 or C++11 compiler takes, aligned as TFLM
 * and berth want it. Sixteen bytes a line. */
#include "firmware_int.h"

#include <string.h>

enum { ARRAY_PER_LINE = 16, ARRAY_TEXT_BYTES = 5 };

/* A line of "0x1c," and its end. */
static void put_line(const uint8_t *bytes, size_t count, FILE *out)
{
    static const char digits[] = "0123456789abcdef";
    char line[ARRAY_PER_LINE * ARRAY_TEXT_BYTES + 1];
    size_t at = 0;
    for (size_t i = 0; i < count; ++i) {
        line[at++] = '0';
        line[at++] = 'x';
        line[at++] = digits[bytes[i] >> 4];
        line[at++] = digits[bytes[i] & 15u];
        line[at++] = ',';
    }
    line[at++] = '\n';
    (void)fwrite(line, 1, at, out);
}

void berth_firmware_array(const berth_firmware_text *text, FILE *out)
{
    const size_t size = text->file.size;
    (void)fputs("/* Made by berth " BERTH_VERSION " from ", out);
    firmware_comment(
        (berth_bytes){(const uint8_t *)text->source, strlen(text->source)},
        200u, out);
    (void)fprintf(out,
                  ". Not to be edited. */\n"
                  "#if defined(__cplusplus)\n"
                  "extern \"C\" {\n"
                  "extern const unsigned char berth_%s_model[%zu];\n"
                  "alignas(16)\n"
                  "#else\n"
                  "extern const unsigned char berth_%s_model[%zu];\n"
                  "_Alignas(16)\n"
                  "#endif\n"
                  "const unsigned char berth_%s_model[%zu] = {\n",
                  text->name, size, text->name, size, text->name, size);
    for (size_t at = 0; at < size; at += ARRAY_PER_LINE) {
        const size_t rest = size - at;
        put_line(text->file.data + at,
                 rest < ARRAY_PER_LINE ? rest : ARRAY_PER_LINE, out);
    }
    (void)fputs("};\n"
                "#if defined(__cplusplus)\n}\n#endif\n",
                out);
}
