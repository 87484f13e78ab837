/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qemu-img.c: what is asked of qemu-img, verb by verb. */
#include "apply/qemu-img.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "apply/qemu-img-command.h"

/* Its own exit statuses. */
enum { COMPARE_DIFFERENT = 1, CHECK_CORRUPT = 2, CHECK_LEAKS = 3, CHECK_UNSUPPORTED = 63 };

GQuark
qemu_img_error_quark(void)
{
    return g_quark_from_static_string("domlint-qemu-img");
}

static gint64
number(JsonObject *object, const char *name)
{
    return json_object_get_int_member_with_default(object, name, 0);
}

/* ---- Direct I/O ------------------------------------------------------------------------ */

static gboolean
opens_direct(int fd)
{
    g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);
    int direct = open(link, O_RDONLY | O_DIRECT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (direct >= 0)
        close(direct);
    return direct >= 0;
}

static void
note(const struct qemu_img_run *run, const char *text)
{
    if (run->notes && !g_ptr_array_find_with_equal_func(run->notes, text, g_str_equal, NULL))
        g_ptr_array_add(run->notes, g_strdup(text));
}

static const char *
cache_for(const struct qemu_img_run *run, int fd)
{
    if (opens_direct(fd))
        return "none";
    note(run, "the file system has no direct I/O: the images are copied and compared through the "
              "host's page cache");
    return "writeback";
}

/* Storage that opens a file for direct I/O and then refuses to do it. */
static gboolean
is_direct_refused(const GError *error)
{
    return error->domain == QEMU_IMG_ERROR && (strstr(error->message, "Invalid argument") ||
                                               strstr(error->message, "O_DIRECT") ||
                                               strstr(error->message, "alignment"));
}

/* ---- Layout ---------------------------------------------------------------------------- */

static JsonObject *
member_object(JsonObject *object, const char *name)
{
    JsonNode *node = object ? json_object_get_member(object, name) : NULL;

    return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

gboolean
qemu_img_layout(const struct qemu_img_run *run, const struct qemu_img_image *image,
                struct qemu_img_layout *layout, GError **error)
{
    struct qemu_img_command *command = qemu_img_command_new(run, "info");
    g_autoptr(JsonParser) parser = json_parser_new();
    JsonObject *answer = NULL, *data;

    *layout = (struct qemu_img_layout){ 0 };
    qemu_img_add_arguments(command, "--output=json", "-f", image->format, NULL);
    if (qemu_img_add_image(command, image->fd, error) && qemu_img_command_succeeds(command, error))
        answer = qemu_img_parse_answer(command, parser, error);
    data = member_object(member_object(answer, "format-specific"), "data");
    if (answer && data && g_str_equal(image->format, "qcow2")) {
        const char *compat = json_object_get_string_member_with_default(data, "compat", NULL);
        const char *compression =
            json_object_get_string_member_with_default(data, "compression-type", NULL);

        layout->cluster_size = (guint64)number(answer, "cluster-size");
        layout->compat = g_strcmp0(compat, "0.10") == 0 ? "0.10" : "1.1";
        layout->extended_l2 = json_object_get_boolean_member_with_default(data, "extended-l2",
                                                                          FALSE);
        layout->lazy_refcounts =
            json_object_get_boolean_member_with_default(data, "lazy-refcounts", FALSE);
        layout->refcount_bits = (guint)number(data, "refcount-bits");
        layout->zstd = g_strcmp0(compression, "zstd") == 0;
    }
    qemu_img_command_free(command);
    return answer != NULL;
}

/* The options (-o) that make an image of @format so; to be freed. */
static char *
creation_options(const char *format, const char *preallocation,
                 const struct qemu_img_layout *layout)
{
    GString *options = g_string_new(NULL);

    g_string_printf(options, "preallocation=%s", preallocation);
    if (!layout || !g_str_equal(format, "qcow2"))
        return g_string_free(options, FALSE);
    if (layout->compat)
        g_string_append_printf(options, ",compat=%s", layout->compat);
    if (layout->cluster_size != 0)
        g_string_append_printf(options, ",cluster_size=%" G_GUINT64_FORMAT, layout->cluster_size);
    if (layout->refcount_bits != 0)
        g_string_append_printf(options, ",refcount_bits=%u", layout->refcount_bits);
    if (layout->extended_l2)
        g_string_append(options, ",extended_l2=on");
    if (layout->lazy_refcounts)
        g_string_append(options, ",lazy_refcounts=on");
    if (layout->zstd)
        g_string_append(options, ",compression_type=zstd");
    return g_string_free(options, FALSE);
}

/* ---- Convert --------------------------------------------------------------------------- */

static gboolean
convert_once(const struct qemu_img_run *run, const struct qemu_img_image *from,
             const struct qemu_img_image *to, const char *options, const char *read_cache,
             const char *write_cache, GError **error)
{
    struct qemu_img_command *command = qemu_img_command_new(run, "convert");
    gboolean done;

    command->progresses = TRUE;
    qemu_img_add_arguments(command, "-p", "-f", from->format, "-O", to->format, "-o", options, "-T",
                  read_cache, "-t", write_cache, NULL);
    if (run->rate_limit_mib != 0) {
        g_autofree char *rate = g_strdup_printf("%uM", run->rate_limit_mib);

        qemu_img_add_arguments(command, "-r", rate, NULL);
    }
    done = qemu_img_add_image(command, from->fd, error) &&
           qemu_img_add_image(command, to->fd, error) &&
           qemu_img_command_succeeds(command, error);
    qemu_img_command_free(command);
    return done;
}

gboolean
qemu_img_convert(const struct qemu_img_run *run, const struct qemu_img_image *from,
                 const struct qemu_img_image *to, const char *preallocation,
                 const struct qemu_img_layout *layout, GError **error)
{
    g_autofree char *options = creation_options(to->format, preallocation, layout);
    const char *read_cache = cache_for(run, from->fd), *write_cache = cache_for(run, to->fd);
    g_autoptr(GError) reason = NULL;

    if (convert_once(run, from, to, options, read_cache, write_cache, &reason))
        return TRUE;
    if (is_direct_refused(reason) &&
        (g_str_equal(read_cache, "none") || g_str_equal(write_cache, "none"))) {
        g_clear_error(&reason);
        note(run, "direct I/O does not work on the images' storage: they are copied through the "
                  "host's page cache");
        if (convert_once(run, from, to, options, "writeback", "writeback", &reason))
            return TRUE;
    }
    g_propagate_error(error, g_steal_pointer(&reason));
    return FALSE;
}

/* ---- Compare --------------------------------------------------------------------------- */

static enum qemu_img_comparison
compare_once(const struct qemu_img_run *run, const struct qemu_img_image *a,
             const struct qemu_img_image *b, const char *cache, GError **error)
{
    struct qemu_img_command *command = qemu_img_command_new(run, "compare");
    enum qemu_img_comparison comparison = QEMU_IMG_UNKNOWN;
    struct subprocess_end end = { 0 };

    command->progresses = TRUE;
    qemu_img_add_arguments(command, "-p", "-f", a->format, "-F", b->format, "-T", cache, NULL);
    if (qemu_img_add_image(command, a->fd, error) && qemu_img_add_image(command, b->fd, error)) {
        int status = qemu_img_command_run(command, &end, error);

        if (status == 0)
            comparison = QEMU_IMG_SAME;
        else if (status == COMPARE_DIFFERENT)
            comparison = QEMU_IMG_DIFFERENT;
        else if (status > 0)
            qemu_img_set_failure(command, &end, error);
    }
    g_free(end.message);
    qemu_img_command_free(command);
    return comparison;
}

enum qemu_img_comparison
qemu_img_compare(const struct qemu_img_run *run, const struct qemu_img_image *a,
                 const struct qemu_img_image *b, GError **error)
{
    gboolean direct = opens_direct(a->fd) && opens_direct(b->fd);
    enum qemu_img_comparison comparison = QEMU_IMG_UNKNOWN;
    g_autoptr(GError) reason = NULL;

    if (direct) {
        comparison = compare_once(run, a, b, "none", &reason);
        if (comparison == QEMU_IMG_UNKNOWN && is_direct_refused(reason)) {
            g_clear_error(&reason);
            direct = FALSE;
        }
    }
    if (!direct) {
        /* What is in memory is clean once it was flushed, and so can be dropped: it is read from
         * the disk again. */
        posix_fadvise(a->fd, 0, 0, POSIX_FADV_DONTNEED);
        posix_fadvise(b->fd, 0, 0, POSIX_FADV_DONTNEED);
        comparison = compare_once(run, a, b, "writeback", &reason);
    }
    if (reason)
        g_propagate_error(error, g_steal_pointer(&reason));
    return comparison;
}

/* ---- Check ----------------------------------------------------------------------------- */

/* What the answer of a check that was made says. */
static enum qemu_img_health
read_health(const struct qemu_img_command *command, GError **error)
{
    g_autoptr(JsonParser) parser = json_parser_new();
    JsonObject *answer = qemu_img_parse_answer(command, parser, error);

    if (!answer)
        return QEMU_IMG_FAILED;
    if (number(answer, "check-errors") > 0) {
        g_set_error(error, QEMU_IMG_ERROR, QEMU_IMG_ERROR_FAILED,
                    "qemu-img check could not look at all of it: %" G_GINT64_FORMAT " errors",
                    number(answer, "check-errors"));
        return QEMU_IMG_FAILED;
    }
    if (number(answer, "corruptions") > 0)
        return QEMU_IMG_CORRUPT;
    return number(answer, "leaks") > 0 ? QEMU_IMG_LEAKS : QEMU_IMG_CLEAN;
}

enum qemu_img_health
qemu_img_check(const struct qemu_img_run *run, const struct qemu_img_image *image, GError **error)
{
    struct qemu_img_command *command = qemu_img_command_new(run, "check");
    enum qemu_img_health health = QEMU_IMG_FAILED;
    struct subprocess_end end = { 0 };

    qemu_img_add_arguments(command, "--output=json", "-f", image->format, NULL);
    if (qemu_img_add_image(command, image->fd, error)) {
        int status = qemu_img_command_run(command, &end, error);

        if (status == 0 || status == CHECK_CORRUPT || status == CHECK_LEAKS)
            health = read_health(command, error);
        else if (status == CHECK_UNSUPPORTED)
            health = QEMU_IMG_UNCHECKED;
        else if (status > 0)
            qemu_img_set_failure(command, &end, error);
    }
    g_free(end.message);
    qemu_img_command_free(command);
    return health;
}

/* ---- Measure --------------------------------------------------------------------------- */

static gboolean
measure_once(const struct qemu_img_run *run, const struct qemu_img_image *image,
             const char *format, const char *options, struct qemu_img_size *size, GError **error)
{
    struct qemu_img_command *command = qemu_img_command_new(run, "measure");
    g_autoptr(JsonParser) parser = json_parser_new();
    JsonObject *answer = NULL;

    qemu_img_add_arguments(command, "--output=json", "-f", image->format, "-O", format, NULL);
    if (options)
        qemu_img_add_arguments(command, "-o", options, NULL);
    if (qemu_img_add_image(command, image->fd, error) && qemu_img_command_succeeds(command, error))
        answer = qemu_img_parse_answer(command, parser, error);
    if (answer) {
        size->required = (guint64)number(answer, "required");
        size->fully_allocated = (guint64)number(answer, "fully-allocated");
    }
    qemu_img_command_free(command);
    return answer != NULL;
}

gboolean
qemu_img_measure(const struct qemu_img_run *run, const struct qemu_img_image *image,
                 const char *format, const char *preallocation,
                 const struct qemu_img_layout *layout, struct qemu_img_size *size, GError **error)
{
    g_autofree char *options = creation_options(format, preallocation, layout);
    struct qemu_img_size guest;

    if (!measure_once(run, image, format, options, size, error))
        return FALSE;
    if (!g_str_equal(preallocation, "metadata"))
        return TRUE;
    /* As raw, an image takes what the guest sees; the rest of it are tables. */
    if (!measure_once(run, image, "raw", NULL, &guest, error))
        return FALSE;
    size->required = MIN(size->fully_allocated,
                         size->required + (size->fully_allocated - guest.fully_allocated));
    return TRUE;
}
