/* Preloaded into a process: what it does to files below $RECORDED is appended to $RECORD, in order.
 * A line each, `what offset size path`, and after a write its bytes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static int record = -1;

static void note(const char *what, const char *path, long long offset, long long size, const void *data)
{
    const char *folder = getenv("RECORDED"), *file = getenv("RECORD");
    char line[5000];
    if (!folder || !file || strncmp(path, folder, strlen(folder)) != 0)
        return;
    pthread_mutex_lock(&one_at_a_time);
    if (record < 0)
        record = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND, 0600);
    int length = snprintf(line, sizeof line, "%s %lld %lld %s\n", what, offset, size, path);
    if (syscall(SYS_write, record, line, length) != length || (data && syscall(SYS_write, record, data, size) != size))
        abort();
    pthread_mutex_unlock(&one_at_a_time);
}

static void note_file(const char *what, int file, long long offset, long long size, const void *data)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return;
    path[length] = 0;
    note(what, path, offset, size, data);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t offset)
{
    note_file("write", file, offset, size, data);
    return syscall(SYS_pwrite64, file, data, size, offset);
}
ssize_t pwrite(int file, const void *data, size_t size, off_t offset)
{
    return pwrite64(file, data, size, offset);
}
ssize_t write(int file, const void *data, size_t size)
{
    note_file("write", file, lseek(file, 0, SEEK_CUR), size, data);
    return syscall(SYS_write, file, data, size);
}
int ftruncate64(int file, off64_t size)
{
    note_file("truncate", file, 0, size, NULL);
    return syscall(SYS_ftruncate, file, size);
}
int ftruncate(int file, off_t size)
{
    return ftruncate64(file, size);
}
int fsync(int file)
{
    note_file("sync", file, 0, 0, NULL);
    return syscall(SYS_fsync, file);
}
int fdatasync(int file)
{
    note_file("sync", file, 0, 0, NULL);
    return syscall(SYS_fdatasync, file);
}
int unlink(const char *path)
{
    note("unlink", path, 0, 0, NULL);
    return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
