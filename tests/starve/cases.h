/* What is run under failing allocations. */
#ifndef SW_TESTS_STARVE_CASES_H
#define SW_TESTS_STARVE_CASES_H

struct starve_case {
    const char *words;  /* the command line, without "stowage"; a blank ends a word */
    const char *script; /* becomes the file `script` of the inputs; NULL: none */
};
extern const struct starve_case starve_cases[];
extern const unsigned starve_case_count;

struct starve_file {
    const char *name, *text;
    const char *from; /* instead of the text: a file of the source tree */
};
extern const struct starve_file starve_files[];
extern const unsigned starve_file_count;

#endif
