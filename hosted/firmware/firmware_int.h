/* firmware_int.h: text for compilers, made of names from strangers. */
#ifndef BERTH_FIRMWARE_INT_H
#define BERTH_FIRMWARE_INT_H

#include "berth/hosted/firmware.h"

/* A name in capitals, for macros: "VWW_96_INT8". */
enum { FIRMWARE_NAME_MAX = 64 };
void firmware_capitals(const char *name, char *capitals, size_t size);

/* Bytes inside a comment: what is not printable ASCII, stars (which could end
 * the comment), backslashes and question marks (which could join lines) are
 * written as \xNN. At most `most` of them, then "...". */
void firmware_comment(berth_bytes bytes, size_t most, FILE *out);

/* Bytes as a string literal with its quotes; others than plain characters are
 * octal escapes of three digits, which no digit behind them can lengthen. */
void firmware_literal(berth_bytes bytes, size_t most, FILE *out);

#endif
