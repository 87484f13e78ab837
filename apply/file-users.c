/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file-users.c: who has a file, as /proc and /sys tell.
 */
#include "apply/file-users.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static gboolean
is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static char *
read_text(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* The content of a file of /proc or /sys, to be freed; "" where it cannot be read. */
static char *
read_text(const char *format, ...)
{
    g_autofree char *path = NULL;
    char *text = NULL;
    va_list args;

    va_start(args, format);
    path = g_strdup_vprintf(format, args);
    va_end(args);
    return g_file_get_contents(path, &text, NULL, NULL) ? text : g_strdup("");
}

/* ---- Processes ------------------------------------------------------------------------- */

/* The name of the guest that the process @pid runs, to be freed; NULL for any other process. */
static char *
guest_of(int pid)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/cmdline", pid);
    g_autofree char *text = NULL;
    const char *name = NULL;
    gsize length = 0;

    if (!g_file_get_contents(path, &text, &length, NULL))
        return NULL;
    for (gsize at = 0; at < length; at += strlen(text + at) + 1) {
        const char *argument = text + at;

        if (name) {
            if (g_str_has_prefix(argument, "guest="))
                argument += strlen("guest=");
            return g_strndup(argument, strcspn(argument, ","));
        }
        if (g_str_equal(argument, "-name"))
            name = argument;
    }
    return NULL;
}

/* "qemu-system-x86 (process 4711, guest web)", to be freed. */
static char *
process_name(int pid)
{
    g_autofree char *name = g_strstrip(read_text("/proc/%d/comm", pid));
    g_autofree char *guest = g_str_has_prefix(name, "qemu") || g_str_has_prefix(name, "kvm")
                                 ? guest_of(pid)
                                 : NULL;
    g_autofree char *plain = g_strdup_printf("%s (process %d%s%s)", *name ? name : "a process", pid,
                                             guest ? ", guest " : "", guest ? guest : "");

    return g_utf8_make_valid(plain, -1);
}

static gboolean
open_for_writing(int pid, const char *number)
{
    g_autofree char *text = read_text("/proc/%d/fdinfo/%s", pid, number);
    const char *flags = strstr(text, "flags:");
    unsigned long value = flags ? strtoul(flags + strlen("flags:"), NULL, 8) : O_RDWR;

    return (value & O_PATH) == 0 && (value & O_ACCMODE) != O_RDONLY;
}

/* Whether the process @pid has the file open; for writing, or in any way. */
static gboolean
has_open(int pid, const struct stat *file, gboolean writing)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/fd", pid);
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    const char *number;

    while (folder && (number = g_dir_read_name(folder))) {
        g_autofree char *link = g_build_filename(path, number, NULL);
        struct stat st;

        if (stat(link, &st) == 0 && is_same(&st, file) &&
            (!writing || open_for_writing(pid, number)))
            return TRUE;
    }
    return FALSE;
}

static int
compare_pids(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* All processes but this one, by number: an array of int. */
static GArray *
other_processes(void)
{
    GArray *pids = g_array_new(FALSE, FALSE, sizeof(int));
    g_autoptr(GDir) folder = g_dir_open("/proc", 0, NULL);
    const char *name;

    while (folder && (name = g_dir_read_name(folder))) {
        int pid = atoi(name);

        if (pid > 0 && pid != getpid())
            g_array_append_val(pids, pid);
    }
    g_array_sort(pids, compare_pids);
    return pids;
}

/* Adds who has it open, each as @format makes of the process's name. */
static void
add_processes(GPtrArray *found, const struct stat *file, gboolean writing, const char *suffix)
{
    g_autoptr(GArray) pids = other_processes();

    for (guint i = 0; i < pids->len; i++) {
        int pid = g_array_index(pids, int, i);
        g_autofree char *name = NULL;

        if (!has_open(pid, file, writing))
            continue;
        name = process_name(pid);
        g_ptr_array_add(found, g_strconcat(name, suffix, NULL));
    }
}

/* ---- Locks ----------------------------------------------------------------------------- */

/* Adds processes that have locked the file. The kernel writes the file system's own device
 * number there, which on btrfs is not the one of stat(): so the inode number alone is compared
 * where the latter is an anonymous one. */
static void
add_locks(GPtrArray *found, const struct stat *file)
{
    g_autofree char *text = read_text("/proc/locks");
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

    for (gsize i = 0; lines[i]; i++) {
        unsigned int major_number, minor_number;
        unsigned long long inode;
        char kind[16], name[32];
        int pid;

        if (sscanf(lines[i], "%*d: %15s %*s %31s %d %x:%x:%llu", kind, name, &pid, &major_number,
                   &minor_number, &inode) != 6)
            continue;
        if (g_str_equal(kind, "OFDLCK") || pid <= 0 || pid == getpid() || inode != file->st_ino)
            continue;
        if (major(file->st_dev) == 0 ? major_number == 0
                                     : makedev(major_number, minor_number) == file->st_dev) {
            g_autofree char *process = process_name(pid);

            g_ptr_array_add(found, g_strconcat(process, " has a lock on it", NULL));
        }
    }
}

/* ---- Loop devices and swap ------------------------------------------------------------- */

/* How the loop driver writes device numbers. */
static guint64
loop_device_number(dev_t device)
{
    return (minor(device) & 0xff) | ((guint64)major(device) << 8)
         | ((guint64)(minor(device) & ~0xffu) << 12);
}

/* Whether the loop device @name is on the file: by the numbers that the kernel holds or, where
 * the device cannot be opened, by the name. */
static gboolean
loop_is_on(const char *name, const char *backing, const struct stat *file)
{
    g_autofree char *node = g_build_filename("/dev", name, NULL);
    struct loop_info64 info = { 0 };
    struct stat st;
    gboolean asked;
    int fd = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    asked = fd >= 0 && ioctl(fd, LOOP_GET_STATUS64, &info) == 0;
    if (fd >= 0)
        close(fd);
    if (asked)
        return info.lo_inode == file->st_ino &&
               info.lo_device == loop_device_number(file->st_dev);
    return stat(backing, &st) == 0 && is_same(&st, file);
}

static int
compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
add_loops(GPtrArray *found, const struct stat *file)
{
    g_autoptr(GPtrArray) loops = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) folder = g_dir_open("/sys/block", 0, NULL);
    const char *name;

    while (folder && (name = g_dir_read_name(folder))) {
        if (g_str_has_prefix(name, "loop"))
            g_ptr_array_add(loops, g_strdup(name));
    }
    g_ptr_array_sort(loops, compare_names);
    for (guint i = 0; i < loops->len; i++) {
        const char *loop = g_ptr_array_index(loops, i);
        g_autofree char *backing = read_text("/sys/block/%s/loop/backing_file", loop);

        g_strchomp(backing);
        if (*backing && loop_is_on(loop, backing, file))
            g_ptr_array_add(found, g_strdup_printf("the loop device /dev/%s is on it", loop));
    }
}

static void
add_swap(GPtrArray *found, const struct stat *file)
{
    g_autofree char *text = read_text("/proc/swaps");
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

    for (gsize i = 0; lines[i]; i++) {
        g_autofree char *escaped = g_strndup(lines[i], strcspn(lines[i], " \t"));
        g_autofree char *path = g_strcompress(escaped);
        struct stat st;

        if (*path == '/' && stat(path, &st) == 0 && is_same(&st, file))
            g_ptr_array_add(found, g_strdup("this host swaps to it"));
    }
}

GPtrArray *
file_users_writing(int fd)
{
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    struct stat file;

    if (fstat(fd, &file) < 0) {
        g_ptr_array_add(found, g_strdup_printf("it cannot be looked at: %s", g_strerror(errno)));
        return found;
    }
    add_processes(found, &file, TRUE, " has it open for writing");
    add_locks(found, &file);
    add_loops(found, &file);
    add_swap(found, &file);
    return found;
}

GPtrArray *
file_users_open(int fd)
{
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    struct stat file;

    if (fstat(fd, &file) == 0)
        add_processes(found, &file, FALSE, "");
    return found;
}
