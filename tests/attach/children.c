/* What the tests of child processes share. */
#include "children.h"

#include "share.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

time_t steady_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

const char *planner(void) {
    const char *path = getenv("ATTACH_PLANNER");
    assert_non_null(path);
    return path;
}

struct sw_child *start_in(const char *directory, const char *const *argv) {
    struct sw_error error = {0};
    struct sw_child *child = sw_child_start(&(struct sw_child_command){.argv = argv, .directory = directory}, &error);
    if (!child) {
        fail_msg("%s", error.message);
    }
    return child;
}

const char *text_of(struct text *text) {
    assert_true(SW_RESERVE(&text->bytes, text->bytes.count + 1));
    text->bytes.items[text->bytes.count] = '\0';
    return text->bytes.items;
}

void turn(struct sw_child *child, bool holding, struct text *text) {
    struct pollfd polls[SW_CHILD_POLLS];
    int timeout;
    char bytes[1000];
    size_t got;
    size_t count = sw_child_polls(child, holding, polls, &timeout);
    poll(polls, (nfds_t)count, timeout < 0 || timeout > 1000 ? 1000 : timeout);
    sw_child_poll(child);
    if (holding || sw_child_read(child, bytes, sizeof bytes, &got) != SW_CHILD_BYTES) {
        return;
    }
    assert_true(SW_RESERVE(&text->bytes, text->bytes.count + got));
    memcpy(text->bytes.items + text->bytes.count, bytes, got);
    text->bytes.count += got;
}

void run_out(struct sw_child *child, struct text *text) {
    const struct sw_child_facts *facts = sw_child_facts(child);
    WHILE(child, false, text, !facts->ended || !facts->over) {}
}

void end(struct sw_child *child, struct text *text) {
    sw_child_end(child);
    assert_int_equal(sw_child_facts(child)->left, 0);
    sw_child_free(child);
    SW_ARRAY_DONE(&text->bytes);
}

unsigned occurrences(const char *text, const char *word) {
    unsigned count = 0;
    for (; (text = strstr(text, word)); text++) {
        count++;
    }
    return count;
}

void assert_lines(const struct sw_child *child, enum sw_child_stream stream, unsigned lines, const char *expected) {
    struct sw_sink sink = {0};
    sw_child_last_lines(child, stream, lines, &sink);
    sw_sink_add(&sink, "", 1);
    assert_string_equal(sink.text.items, expected);
    sw_sink_done(&sink);
}

void folder_of(const struct text *text, char folder[256]) { /* what `sh -c 'echo $STOWAGE_RECORD'` recorded */
    size_t length = strcspn(text->bytes.items, "\n");
    assert_true(length < 200 && length <= text->bytes.count);
    memcpy(folder, text->bytes.items, length);
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    assert_non_null(slash);
    *slash = '\0';
}
static unsigned count_entries(const char *path) {
    DIR *folder = opendir(path);
    unsigned count = 0;
    while (folder && readdir(folder)) {
        count++;
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}

int enter(void **state) {
    static struct place place;
    strcpy(place.folder, "/tmp/stowage-test-XXXXXX");
    assert_non_null(mkdtemp(place.folder));
    setenv("TMPDIR", place.folder, 1);
    place.descriptors = count_entries("/proc/self/fd");
    *state = &place;
    return 0;
}

int leave(void **state) {
    struct place *place = *state;
    unsigned files = count_entries(place->folder), descriptors = count_entries("/proc/self/fd");
    int status;
    pid_t left = waitpid(-1, &status, WNOHANG);
    rmdir(place->folder);
    if (files != 2 || descriptors != place->descriptors || left != -1 || errno != ECHILD) {
        print_error("left: %u files, %d descriptors, child %d\n", files - 2, (int)descriptors - (int)place->descriptors,
                    (int)left);
        exit(1); /* the cases that follow would wait for what this one has left */
    }
    return 0;
}

/* Every process that had this folder's pipe when it was started: found by its environment, unlike in guard.c. */
unsigned count_marked(const char *folder) {
    char path[300], *environment = malloc(1 << 20);
    unsigned count = 0;
    DIR *all = opendir("/proc");
    assert_true(all && environment);
    for (struct dirent *entry; (entry = readdir(all));) {
        snprintf(path, sizeof path, "/proc/%s/environ", entry->d_name);
        int fd = entry->d_name[0] >= '0' && entry->d_name[0] <= '9' ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        ssize_t got = fd >= 0 ? read(fd, environment, 1 << 20) : 0;
        count += got > 0 && memmem(environment, (size_t)got, folder, strlen(folder));
        if (fd >= 0) {
            close(fd);
        }
    }
    closedir(all);
    free(environment);
    return count;
}
