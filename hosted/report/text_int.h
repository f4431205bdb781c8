/* text_int.h: the page that a person reads. Columns are counted by hand: names
 * and bars are UTF-8, and printf's widths count bytes. */
#ifndef BERTH_HOSTED_TEXT_INT_H
#define BERTH_HOSTED_TEXT_INT_H

#include "report_int.h"

enum { PAGE_COLUMNS = 100 };

typedef enum page_style {
    PAGE_PLAIN,
    PAGE_BOLD,
    PAGE_GOOD,
    PAGE_BAD
} page_style;

typedef struct page {
    const berth_report *report;
    FILE *out;
    bool colour;
} page;

/* Switches the terminal's style; nothing where there is no colour. */
void page_set(const page *p, page_style style);

/* The rest of a column: `columns` less those used, as blanks; at least one. */
void page_pad(const page *p, uint32_t used, uint32_t columns);

/* A bar of `part` in `whole`, so many columns wide. */
void page_bar(const page *p, uint64_t part, uint64_t whole, uint32_t columns);

/* "operator 3, CONV_2D" or "step 7, ENTER of WHILE"; returns its columns. */
uint32_t page_step(const page *p, uint32_t step);

void text_head(const page *p);
void text_fit(const page *p);
void text_ledger(const page *p);
void text_rows(const page *p);
void text_peak(const page *p);
void text_what_if(const page *p);
void text_rules(const page *p);
void text_largest(const page *p);
void text_notes(const page *p);
void text_tensors(const page *p);
void text_steps(const page *p);
void text_runtime(const page *p);

#endif
