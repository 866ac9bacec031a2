/* The tests of a folder are one program: PROGRAM NAME runs one of them. Each is a file with a main of its own, which
 * the build calls main_NAME; it lists the names as GROUP, "TEST(test_base) TEST(test_cost) ...". */
#include <stdio.h>
#include <string.h>

#define TEST(name) int main_##name(void);
GROUP
#undef TEST

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define TEST(name) {#name, main_##name},
    GROUP
#undef TEST
};

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (argc == 2 && strcmp(argv[1], tests[i].name) == 0) {
            return tests[i].run();
        }
    }
    fprintf(stderr, "usage: %s NAME, one of\n", argv[0]);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        fprintf(stderr, "  %s\n", tests[i].name);
    }
    return 2;
}
