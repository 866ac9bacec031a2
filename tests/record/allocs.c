/* A program that allocates in every way, so that its trace is known line by line; with an argument, in threads and
 * children. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept; /* nothing is optimized away */
__attribute__((constructor)) static void before_main(void) {
    kept = malloc(1001);
}

static void each_way(void) {
    void *a = kept = malloc(1002), *b = kept = calloc(3, 1003), *c;
    b = kept = realloc(b, 100000); /* 3009 goes */
    c = kept = realloc(NULL, 1004);
    free(kept = a);
    if (posix_memalign(&a, 64, 1005) != 0 || !(kept = a))
        _exit(3);
    free(b), free(c), free(a), free(NULL);
    free(kept = aligned_alloc(64, 1024));
    kept = calloc((size_t)-1, 16); /* gets nothing */
    free(kept = malloc(0));
}

static void *one_thread(void *argument) {
    for (int i = 1; i < 3000; i++) {
        void *a = kept = malloc((size_t)i % 700 + 1), *b = kept = malloc(24);
        free(b), a = kept = realloc(a, (size_t)i * 7 % 4000 + 1), free(a);
    }
    return argument;
}

int main(int count, char **words) {
    pthread_t threads[4];
    int status = 0;
    if (count < 2)
        return each_way(), 0;
    if (!strcmp(words[1], "exec"))
        return execl(words[2], words[2], (char *)NULL), 4;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, one_thread, NULL);
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (child == 0)
            free(kept = malloc(77777)), execl(words[0], words[0], (char *)NULL), _exit(5);
        if (child < 0 || waitpid(child, &status, 0) < 0 || status)
            return 6;
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
