/* A folder as another machine shows it: names that others made are seen late.
 *
 * Preloaded into the processes of a run (Linux, glibc). In the folder LATE_UNDER, a name that this
 * process or its parents did not make is missing until it is LATE_SECONDS old: to open, to stat
 * and to list. Making a name asks the server, as on NFS: "there is one" is told at once.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = dlsym(RTLD_NEXT, #name)
#define MOST 65536

static unsigned long long made[MOST];
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int look(int at, const char *path, struct statx *found) {
    REAL(int, statx, int, const char *, int, unsigned, struct statx *);
    return real(at, path, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, found);
}

/* Whether the path lies in the folder. */
static int inside(int at, const char *path) {
    const char *under = getenv("LATE_UNDER");
    char whole[2 * PATH_MAX] = "", link[64];
    if (!under || !path || !*path) return 0;
    if (*path != '/') {
        snprintf(link, sizeof link, at == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", at);
        if (readlink(link, whole, PATH_MAX) < 0) return 0;
        strcat(whole, "/");
    }
    strncat(whole, path, PATH_MAX - 1);
    return !strncmp(whole, under, strlen(under)) && whole[strlen(under)] == '/';
}

static void remember(int at, const char *path) {
    struct statx found;
    if (!inside(at, path) || look(at, path, &found)) return;
    pthread_mutex_lock(&lock);
    if (count < MOST) made[count++] = found.stx_ino;
    pthread_mutex_unlock(&lock);
}

/* Whether the name is there and not yet seen here. */
static int late(int at, const char *path) {
    struct statx found;
    int before = errno, hidden = 1;
    if (!inside(at, path) || look(at, path, &found)) return errno = before, 0;
    errno = before;
    if (time(NULL) - found.stx_btime.tv_sec >= atoi(getenv("LATE_SECONDS"))) return 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count && hidden; i++) hidden = made[i] != found.stx_ino;
    pthread_mutex_unlock(&lock);
    return hidden;
}

#define MISSING(at, path) if (late(at, path)) return errno = ENOENT, -1

#define OPENAT(name) \
    int name(int at, const char *path, int flags, ...) { \
        REAL(int, name, int, const char *, int, ...); \
        va_list more; va_start(more, flags); \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        if (!(flags & O_CREAT)) MISSING(at, path); \
        int there = faccessat(at, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0; \
        int file = real(at, path, flags, mode); \
        if (file >= 0 && flags & O_CREAT && !there) remember(at, path); \
        return file; \
    }
#define OPEN(name, at_name) \
    int name(const char *path, int flags, ...) { \
        va_list more; va_start(more, flags); \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        return at_name(AT_FDCWD, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)
OPEN(open, openat)
OPEN(open64, openat64)

#define STAT(name, type) \
    int name(const char *path, struct type *found) { \
        REAL(int, name, const char *, struct type *); \
        MISSING(AT_FDCWD, path); \
        return real(path, found); \
    }
STAT(stat, stat)
STAT(lstat, stat)
STAT(stat64, stat64)
STAT(lstat64, stat64)

#define STATAT(name, type) \
    int name(int at, const char *path, struct type *found, int flags) { \
        REAL(int, name, int, const char *, struct type *, int); \
        MISSING(at, path); \
        return real(at, path, found, flags); \
    }
STATAT(fstatat, stat)
STATAT(fstatat64, stat64)

int statx(int at, const char *path, int flags, unsigned mask, struct statx *found) {
    REAL(int, statx, int, const char *, int, unsigned, struct statx *);
    MISSING(at, path);
    return real(at, path, flags, mask, found);
}

int access(const char *path, int mode) {
    REAL(int, access, const char *, int);
    MISSING(AT_FDCWD, path);
    return real(path, mode);
}

int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    int failed = real(path, mode);
    if (!failed) remember(AT_FDCWD, path);
    return failed;
}

#define READDIR(name, type) \
    struct type *name(DIR *folder) { \
        REAL(struct type *, name, DIR *); \
        struct type *entry; \
        while ((entry = real(folder)) && late(dirfd(folder), entry->d_name)); \
        return entry; \
    }
READDIR(readdir, dirent)
READDIR(readdir64, dirent64)
