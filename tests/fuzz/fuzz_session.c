/* Session files, in a folder with a model, a program and tiers for them to name. Opening one writes nothing; what is
 * accepted is saved and opened again: the same digest, and the second time the same bytes. */
#include "fuzz/fuzz.h"

#include "command/session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *name, *text;
} there[] = {
    {"m.json", "{\"format\": \"stowage-graph\", \"version\": 1, \"alignment\": 16, \"tiers\": [{\"name\": \"fast\", "
               "\"capacity\": 256},"
               " {\"name\": \"slow\"}], \"buffers\": [{\"name\": \"in\", \"size\": 64, \"kind\": \"input\"},"
               " {\"name\": \"a\", \"size\": 128}, {\"name\": \"b\", \"size\": 96}, {\"name\": \"c\", \"size\": 32},"
               " {\"name\": \"w\", \"size\": 48, \"kind\": \"constant\"},"
               " {\"name\": \"out\", \"size\": 16, \"kind\": \"output\"}], \"operators\": ["
               "{\"name\": \"one\", \"inputs\": [\"in\", \"w\"], \"outputs\": [\"a\"]},"
               "{\"name\": \"two\", \"inputs\": [\"a\"], \"outputs\": [\"b\"]},"
               "{\"name\": \"three\", \"inputs\": [\"a\"], \"outputs\": [\"c\"]},"
               "{\"name\": \"four\", \"inputs\": [\"b\", \"c\"], \"outputs\": [\"out\"]}]}\n"},
    {"t.csv", "buffer,lower,upper,size\nx,0,3,8\ny,1,4,16\nz,2,6,24\nv,5,9,4\n"},
    {"p.lua",
     "return {name = 'piled', summary = 'One upon the other', group = 'pass', plan = function(problem, layout)\n"
     "  local top = 0\n  for _, buffer in ipairs(problem.buffers) do\n"
     "    if buffer.planned then coroutine.yield{kind = 'place', buffer = buffer, tier = buffer.tiers[1],\n"
     "      offset = top, reason = 'on top'}; top = top + 256 end\n  end\nend}\n"},
};
enum { THERE = sizeof there / sizeof *there };

static void put(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fuzz_fail("%s cannot be written", path);
    }
}

/* Where the target is between two inputs. */
static int outside = -1;
static char folder[] = "/tmp/stowage-fuzz-XXXXXX";
static void leave(void) {
    static const char *const ours[] = {"s.sess", "again.sess", "twice.sess"};
    if (chdir(folder) != 0) {
        return;
    }
    for (size_t i = 0; i < THERE; i++) {
        unlink(there[i].name);
    }
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        unlink(ours[i]);
    }
    if (chdir("/") == 0) {
        rmdir(folder);
    }
}

static void go_in(void) {
    if (outside >= 0) {
        if (chdir(folder) != 0) {
            fuzz_fail("the folder is gone");
        }
        return;
    }
    outside = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    setenv("STOWAGE_SCRIPT_SECONDS", "2", 1);
    setenv("STOWAGE_SCRIPT_BYTES", "268435456", 1);
    if (outside < 0 || !mkdtemp(folder) || chdir(folder) != 0) {
        fuzz_fail("there is no folder to be in");
    }
    for (size_t i = 0; i < THERE; i++) {
        put(there[i].name, there[i].text, strlen(there[i].text));
    }
    atexit(leave);
}

static unsigned count(void) {
    unsigned entries = 0;
    DIR *here = opendir(".");
    while (here && readdir(here)) {
        entries++;
    }
    if (here) {
        closedir(here);
    }
    return entries;
}

static struct sw_session *open_again(const char *path, uint64_t digest) {
    struct sw_error error = {0};
    struct sw_session *session = sw_session_open(path, &error);
    if (!session && !strstr(error.message, "--trust")) {
        fuzz_fail("what was saved cannot be opened: %s:%u: %s", error.file, error.line, error.message);
    }
    if (session && sw_session_digest(session) != digest) {
        fuzz_fail("what was saved leads elsewhere");
    }
    return session;
}

static void save(struct sw_session *session, const char *path) {
    struct sw_error error = {0};
    if (!sw_session_save(session, path, &error)) {
        fuzz_fail("%s", error.message);
    }
}

static void same_bytes(void) {
    struct sw_input a, b;
    if (!sw_input_open("again.sess", &a, NULL) || !sw_input_open("twice.sess", &b, NULL)) {
        fuzz_fail("what was saved cannot be read");
    }
    if (a.length != b.length || memcmp(a.bytes, b.bytes, a.length) != 0) {
        fuzz_fail("saved twice, it differs");
    }
    sw_input_close(&a);
    sw_input_close(&b);
}

static void try(const uint8_t *data, size_t size) {
    struct sw_error error = {0};
    put("s.sess", (const char *)data, size);
    put("again.sess", "", 0);
    put("twice.sess", "", 0);
    unsigned before = count();
    struct sw_session *session = sw_session_open("s.sess", &error);
    if (count() != before) {
        fuzz_fail("opening a session writes");
    }
    if (wait(NULL) > 0 || errno != ECHILD) {
        fuzz_fail("opening a session runs a command");
    }
    struct sw_input input = fuzz_input(data, size);
    if (!session) {
        if (strcmp(error.file, "s.sess") == 0) {
            fuzz_check_error(&input, &error);
        } else if (!*error.message) {
            fuzz_fail("refused without a word");
        }
        return;
    }
    uint64_t digest = sw_session_digest(session);
    save(session, "again.sess");
    sw_session_free(session);
    session = open_again("again.sess", digest);
    if (session) {
        save(session, "twice.sess");
        same_bytes();
    }
    sw_session_free(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    go_in();
    try(data, size);
    if (fchdir(outside) != 0) {
        fuzz_fail("there is no way back");
    }
    return 0;
}
