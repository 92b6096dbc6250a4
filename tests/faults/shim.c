/* Stands between a process and the file system, for one folder: counts the calls that change something there and, at
 * a chosen one, lets it fail, writes only a part, or plays dead. Dead means that neither this call nor any later one
 * has an effect, though all seem to succeed: what is on the disk is what a crash at this point would have left. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { COUNT = 0, CRASH = 1, TORN = 2, FAIL_ONCE = 3, FAIL_FROM = 4, SHORT = 5 };
static char folder[4096];
static long calls, at;
static int mode, error_number, armed, dead;
static unsigned char ours[65536];
static char last_call[256];

void fault_arm(const char *path, int how, long when, int number) {
    strncpy(folder, path, sizeof folder - 1);
    mode = how, at = when, error_number = number, calls = 0, dead = 0, armed = 1;
    memset(ours, 0, sizeof ours);
}
long fault_disarm(void) { armed = 0; return calls; }
const char *fault_last(void) { return last_call; }

static int inside(const char *path) { return armed && path && !strncmp(path, folder, strlen(folder)); }

/* 0: go on; 1: pretend; 2: fail with error_number; 3: write a part only */
static int verdict(const char *name, const char *path) {
    if (dead) return 1;
    if (++calls == at) snprintf(last_call, sizeof last_call, "%s %s", name, path ? path + strlen(folder) : "");
    if (mode == COUNT || calls < at) return 0;
    switch (mode) {
    case CRASH: dead = 1; return 1;
    case TORN: if (!strcmp(name, "write")) { dead = 1; return 3; } dead = 1; return 1;
    case FAIL_ONCE: return calls == at ? 2 : 0;
    case FAIL_FROM: return strcmp(name, "unlink") && strcmp(name, "rmdir") ? 2 : 0; /* a full disk lets one delete */
    case SHORT: return strcmp(name, "write") || calls != at ? 0 : 3;
    }
    return 0;
}
#define REAL(name) ({ static __typeof__(&name) real; if (!real) real = dlsym(RTLD_NEXT, #name); real; })
#define ONE(name, path, call) \
    if (inside(path)) switch (verdict(#name, path)) { case 1: return 0; case 2: errno = error_number; return -1; } \
    return call

int rename(const char *a, const char *b) { ONE(rename, b, REAL(rename)(a, b)); }
int unlink(const char *a) { ONE(unlink, a, REAL(unlink)(a)); }
int rmdir(const char *a) { ONE(rmdir, a, REAL(rmdir)(a)); }
int mkdir(const char *a, mode_t m) { ONE(mkdir, a, REAL(mkdir)(a, m)); }
int chmod(const char *a, mode_t m) { ONE(chmod, a, REAL(chmod)(a, m)); }
int fsync(int fd) {
    if (armed && fd >= 0 && fd < 65536 && ours[fd])
        switch (verdict("fsync", NULL)) { case 1: return 0; case 2: errno = error_number; return -1; }
    return REAL(fsync)(fd);
}
ssize_t write(int fd, const void *data, size_t size) {
    if (armed && fd >= 0 && fd < 65536 && ours[fd])
        switch (verdict("write", NULL)) {
        case 1: return size;
        case 2: errno = error_number; return -1;
        case 3: { ssize_t part = REAL(write)(fd, data, (size + 1) / 2); return dead ? (ssize_t)size : part; }
        }
    return REAL(write)(fd, data, size);
}
static int opened(const char *path, int flags, int fd) {
    if (fd >= 0 && fd < 65536) ours[fd] = inside(path);
    (void)flags;
    return fd;
}
#define OPEN(name, call, path) \
    mode_t m = 0; \
    if (flags & O_CREAT) { va_list rest; va_start(rest, flags); m = va_arg(rest, mode_t); va_end(rest); } \
    if (inside(path) && (flags & (O_CREAT | O_TRUNC))) switch (verdict("open", path)) { \
        case 1: return opened(path, flags, REAL(open)("/dev/null", O_RDWR)); \
        case 2: errno = error_number; return -1; } \
    return opened(path, flags, call)
int open(const char *path, int flags, ...) { OPEN(open, REAL(open)(path, flags, m), path); }
int open64(const char *path, int flags, ...) { OPEN(open64, REAL(open64)(path, flags, m), path); }
int openat(int where, const char *path, int flags, ...) { OPEN(openat, REAL(openat)(where, path, flags, m), path); }
int openat64(int where, const char *path, int flags, ...) { OPEN(openat64, REAL(openat64)(where, path, flags, m), path); }
int close(int fd) { if (fd >= 0 && fd < 65536) ours[fd] = 0; return REAL(close)(fd); }
