/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fusefs.c: a folder mounted somewhere else, with faults: no file system at hand refuses
 * O_DIRECT, gives EIO or ENOSPC on demand, fails fsync, cannot fallocate, or hangs.
 *
 *     fusefs [-o MOUNT-OPTIONS] FOLDER MOUNT-POINT [OPERATION:GLOB:WHAT]...
 *
 * OPERATION is one of those in operation_names below, GLOB is matched with the path in the file
 * system without its leading slash, WHAT is EIO, ENOSPC, EINVAL, EOPNOTSUPP, EACCES, ESTALE or
 * "hang". "direct" is an open with O_DIRECT, "rename-flags" a rename with RENAME_NOREPLACE or
 * RENAME_EXCHANGE. Stays in the foreground; ends when unmounted or
 * killed, and then whatever hung ends too.
 */
#define FUSE_USE_VERSION 31

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <fuse.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define HANG_SECONDS 40

enum operation {
    OP_GETATTR,
    OP_OPEN,
    OP_DIRECT,
    OP_CREATE,
    OP_READ,
    OP_WRITE,
    OP_TRUNCATE,
    OP_FALLOCATE,
    OP_FSYNC,
    OP_RENAME,
    OP_RENAME_FLAGS,
    OP_LINK,
    OP_UNLINK,
    OP_STATFS,
    OP_COUNT,
};

static const char *const operation_names[OP_COUNT] = {
    [OP_GETATTR] = "getattr",
    [OP_OPEN] = "open",
    [OP_DIRECT] = "direct",
    [OP_CREATE] = "create",
    [OP_READ] = "read",
    [OP_WRITE] = "write",
    [OP_TRUNCATE] = "truncate",
    [OP_FALLOCATE] = "fallocate",
    [OP_FSYNC] = "fsync",
    [OP_RENAME] = "rename",
    [OP_RENAME_FLAGS] = "rename-flags",
    [OP_LINK] = "link",
    [OP_UNLINK] = "unlink",
    [OP_STATFS] = "statfs",
};

static const struct {
    const char *name;
    int number; /* of errno; 0: hang */
} faults[] = {
    { "EIO", EIO },       { "ENOSPC", ENOSPC }, { "EINVAL", EINVAL }, { "EOPNOTSUPP", EOPNOTSUPP },
    { "EACCES", EACCES }, { "ESTALE", ESTALE }, { "hang", 0 },
};

struct rule {
    enum operation operation;
    const char *glob;
    int number;
};

struct file_system {
    int root; /* of the folder that is shown */
    size_t n_rules;
    struct rule rules[];
};

static const struct file_system *
self(void)
{
    return fuse_get_context()->private_data;
}

/* Paths here start with '/'; below the folder they are relative. */
static const char *
below(const char *path)
{
    return path[1] ? path + 1 : ".";
}

/* What shall go wrong: -errno, or 0 for nothing. */
static int
fault(enum operation operation, const char *path)
{
    const struct file_system *fs = self();

    for (size_t i = 0; i < fs->n_rules; i++) {
        const struct rule *rule = &fs->rules[i];

        if (rule->operation != operation || fnmatch(rule->glob, path + 1, 0) != 0)
            continue;
        if (rule->number == 0) {
            /* Not for ever: a test that fails while this holds a thread of its own must be able
             * to end. */
            sleep(HANG_SECONDS);
            return -EIO;
        }
        return -rule->number;
    }
    return 0;
}

static int
result(long value)
{
    return value < 0 ? -errno : (int)value;
}

/* The numbers of inodes are those below: two names of one file are one file. What is open is removed
 * as any other file, and not renamed first. */
static void *
fs_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
    (void)connection;
    config->use_ino = 1;
    config->hard_remove = 1;
    return fuse_get_context()->private_data;
}

static int
fs_getattr(const char *path, struct stat *st, struct fuse_file_info *info)
{
    int wrong = fault(OP_GETATTR, path);

    if (wrong)
        return wrong;
    if (info)
        return result(fstat((int)info->fh, st));
    return result(fstatat(self()->root, below(path), st, AT_SYMLINK_NOFOLLOW));
}

static int
fs_readlink(const char *path, char *target, size_t size)
{
    ssize_t length = readlinkat(self()->root, below(path), target, size - 1);

    if (length < 0)
        return -errno;
    target[length] = '\0';
    return 0;
}

static int
fs_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
           struct fuse_file_info *info, enum fuse_readdir_flags flags)
{
    int fd = openat(self()->root, below(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    (void)offset;
    (void)info;
    (void)flags;
    if (!dir)
        return -errno;
    while ((entry = readdir(dir)))
        fill(buffer, entry->d_name, NULL, 0, 0);
    closedir(dir);
    return 0;
}

static int
fs_open(const char *path, struct fuse_file_info *info)
{
    int wrong = info->flags & O_DIRECT ? fault(OP_DIRECT, path) : 0, fd;

    if (!wrong)
        wrong = fault(OP_OPEN, path);
    if (wrong)
        return wrong;
    /* Not O_DIRECT below: the buffers here are not aligned. */
    fd = openat(self()->root, below(path), (info->flags & ~(O_DIRECT | O_NOFOLLOW)) | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    info->fh = (uint64_t)fd;
    return 0;
}

static int
fs_create(const char *path, mode_t mode, struct fuse_file_info *info)
{
    int wrong = fault(OP_CREATE, path), fd;

    if (wrong)
        return wrong;
    fd = openat(self()->root, below(path), (info->flags & ~O_DIRECT) | O_CREAT | O_CLOEXEC, mode);
    if (fd < 0)
        return -errno;
    info->fh = (uint64_t)fd;
    return 0;
}

static int
fs_read(const char *path, char *buffer, size_t size, off_t offset, struct fuse_file_info *info)
{
    int wrong = fault(OP_READ, path);

    return wrong ? wrong : result(pread((int)info->fh, buffer, size, offset));
}

static int
fs_write(const char *path, const char *buffer, size_t size, off_t offset,
         struct fuse_file_info *info)
{
    int wrong = fault(OP_WRITE, path);

    return wrong ? wrong : result(pwrite((int)info->fh, buffer, size, offset));
}

static int
fs_fsync(const char *path, int data_only, struct fuse_file_info *info)
{
    int wrong = fault(OP_FSYNC, path);

    if (wrong)
        return wrong;
    return result(data_only ? fdatasync((int)info->fh) : fsync((int)info->fh));
}

static int
fs_fallocate(const char *path, int mode, off_t offset, off_t length, struct fuse_file_info *info)
{
    int wrong = fault(OP_FALLOCATE, path);

    return wrong ? wrong : result(fallocate((int)info->fh, mode, offset, length));
}

static int
fs_truncate(const char *path, off_t size, struct fuse_file_info *info)
{
    int wrong = fault(OP_TRUNCATE, path), fd, status;

    if (wrong)
        return wrong;
    if (info)
        return result(ftruncate((int)info->fh, size));
    fd = openat(self()->root, below(path), O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    status = result(ftruncate(fd, size));
    close(fd);
    return status;
}

static int
fs_release(const char *path, struct fuse_file_info *info)
{
    (void)path;
    close((int)info->fh);
    return 0;
}

static off_t
fs_lseek(const char *path, off_t offset, int whence, struct fuse_file_info *info)
{
    off_t place = lseek((int)info->fh, offset, whence);

    (void)path;
    return place < 0 ? -errno : place;
}

static int
fs_unlink(const char *path)
{
    int wrong = fault(OP_UNLINK, path);

    return wrong ? wrong : result(unlinkat(self()->root, below(path), 0));
}

static int
fs_mkdir(const char *path, mode_t mode)
{
    return result(mkdirat(self()->root, below(path), mode));
}

static int
fs_rmdir(const char *path)
{
    return result(unlinkat(self()->root, below(path), AT_REMOVEDIR));
}

static int
fs_symlink(const char *target, const char *path)
{
    return result(symlinkat(target, self()->root, below(path)));
}

static int
fs_rename(const char *from, const char *to, unsigned int flags)
{
    int wrong = fault(OP_RENAME, from);

    if (!wrong && flags != 0)
        wrong = fault(OP_RENAME_FLAGS, from);
    return wrong ? wrong
                 : result(renameat2(self()->root, below(from), self()->root, below(to), flags));
}

static int
fs_link(const char *from, const char *to)
{
    int wrong = fault(OP_LINK, from);

    return wrong ? wrong : result(linkat(self()->root, below(from), self()->root, below(to), 0));
}

static int
fs_chmod(const char *path, mode_t mode, struct fuse_file_info *info)
{
    return result(info ? fchmod((int)info->fh, mode)
                       : fchmodat(self()->root, below(path), mode, 0));
}

static int
fs_chown(const char *path, uid_t uid, gid_t gid, struct fuse_file_info *info)
{
    return result(info ? fchown((int)info->fh, uid, gid)
                       : fchownat(self()->root, below(path), uid, gid, AT_SYMLINK_NOFOLLOW));
}

static int
fs_utimens(const char *path, const struct timespec times[2], struct fuse_file_info *info)
{
    return result(info ? futimens((int)info->fh, times)
                       : utimensat(self()->root, below(path), times, AT_SYMLINK_NOFOLLOW));
}

static int
fs_statfs(const char *path, struct statvfs *status)
{
    int wrong = fault(OP_STATFS, path);

    return wrong ? wrong : result(fstatvfs(self()->root, status));
}

/* Extended attributes have no *at() calls: by way of /proc. */
static void
proc_path(char *buffer, size_t size, const char *path)
{
    snprintf(buffer, size, "/proc/self/fd/%d/%s", self()->root, below(path));
}

static int
fs_setxattr(const char *path, const char *name, const char *value, size_t size, int flags)
{
    char real[PATH_MAX];

    proc_path(real, sizeof real, path);
    return result(lsetxattr(real, name, value, size, flags));
}

static int
fs_getxattr(const char *path, const char *name, char *value, size_t size)
{
    char real[PATH_MAX];

    proc_path(real, sizeof real, path);
    return result(lgetxattr(real, name, value, size));
}

static int
fs_listxattr(const char *path, char *list, size_t size)
{
    char real[PATH_MAX];

    proc_path(real, sizeof real, path);
    return result(llistxattr(real, list, size));
}

static int
fs_removexattr(const char *path, const char *name)
{
    char real[PATH_MAX];

    proc_path(real, sizeof real, path);
    return result(lremovexattr(real, name));
}

static const struct fuse_operations operations = {
    .init = fs_init,
    .getattr = fs_getattr,
    .readlink = fs_readlink,
    .readdir = fs_readdir,
    .open = fs_open,
    .create = fs_create,
    .read = fs_read,
    .write = fs_write,
    .fsync = fs_fsync,
    .fallocate = fs_fallocate,
    .truncate = fs_truncate,
    .release = fs_release,
    .lseek = fs_lseek,
    .unlink = fs_unlink,
    .mkdir = fs_mkdir,
    .rmdir = fs_rmdir,
    .symlink = fs_symlink,
    .rename = fs_rename,
    .link = fs_link,
    .chmod = fs_chmod,
    .chown = fs_chown,
    .utimens = fs_utimens,
    .statfs = fs_statfs,
    .setxattr = fs_setxattr,
    .getxattr = fs_getxattr,
    .listxattr = fs_listxattr,
    .removexattr = fs_removexattr,
};

/* Reads OPERATION:GLOB:WHAT, cutting @text up. */
static int
parse_rule(char *text, struct rule *rule)
{
    char *glob = strchr(text, ':'), *what = strrchr(text, ':');
    size_t fault_index = 0;
    int operation = 0;

    if (!glob || glob == what)
        return 0;
    *glob++ = '\0';
    *what++ = '\0';
    while (operation < OP_COUNT && strcmp(operation_names[operation], text) != 0)
        operation++;
    while (fault_index < sizeof faults / sizeof *faults &&
           strcmp(faults[fault_index].name, what) != 0)
        fault_index++;
    if (operation == OP_COUNT || fault_index == sizeof faults / sizeof *faults)
        return 0;
    *rule = (struct rule){ (enum operation)operation, glob, faults[fault_index].number };
    return 1;
}

int
main(int argc, char **argv)
{
    char foreground[] = "-f", option[] = "-o";
    char *options = NULL, *fuse_argv[8];
    struct file_system *fs;
    int n = 0, first = 1, status;

    if (argc > 2 && strcmp(argv[1], "-o") == 0) {
        options = argv[2];
        first = 3;
    }
    if (argc < first + 2) {
        fprintf(stderr, "usage: fusefs [-o OPTIONS] FOLDER MOUNT-POINT [OPERATION:GLOB:WHAT]...\n");
        return 2;
    }
    fs = calloc(1, sizeof *fs + (size_t)argc * sizeof *fs->rules);
    if (!fs)
        return 1;
    fs->root = open(argv[first], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fs->root < 0) {
        perror(argv[first]);
        return 1;
    }
    for (int i = first + 2; i < argc; i++) {
        if (!parse_rule(argv[i], &fs->rules[fs->n_rules++])) {
            fprintf(stderr, "fusefs: not understood: %s\n", argv[i]);
            return 2;
        }
    }
    fuse_argv[n++] = argv[0];
    fuse_argv[n++] = argv[first + 1];
    fuse_argv[n++] = foreground;
    if (options) {
        fuse_argv[n++] = option;
        fuse_argv[n++] = options;
    }
    fuse_argv[n] = NULL;
    umask(0);
    status = fuse_main(n, fuse_argv, &operations, fs);
    close(fs->root);
    free(fs);
    return status;
}
