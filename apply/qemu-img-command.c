/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qemu-img-command.c: one run of qemu-img. Descriptors become 3, 4 in the child, and images are
 * named /proc/self/fd/3, /proc/self/fd/4.
 */
#include "apply/qemu-img-command.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The most that is read of an answer: one of an image with very many snapshots. */
enum { ANSWER_MAX = 16 * 1024 * 1024 };

static const char *const image_names[] = { "/proc/self/fd/3", "/proc/self/fd/4" };

struct qemu_img_command *
qemu_img_command_new(const struct qemu_img_run *run, const char *verb)
{
    struct qemu_img_command *command = g_new0(struct qemu_img_command, 1);

    command->run = run;
    command->argv = g_ptr_array_new_with_free_func(g_free);
    command->answer = g_string_new(NULL);
    command->percent = -1;
    g_ptr_array_add(command->argv, g_strdup("qemu-img"));
    g_ptr_array_add(command->argv, g_strdup(verb));
    return command;
}

void
qemu_img_command_free(struct qemu_img_command *command)
{
    for (guint i = 0; i < command->fd_count; i++)
        close(command->fds[i]);
    g_ptr_array_unref(command->argv);
    g_string_free(command->answer, TRUE);
    g_free(command);
}

void
qemu_img_add_arguments(struct qemu_img_command *command, const char *first, ...)
{
    va_list args;

    va_start(args, first);
    for (const char *argument = first; argument; argument = va_arg(args, const char *))
        g_ptr_array_add(command->argv, g_strdup(argument));
    va_end(args);
}

/* Adds the name of an image, by way of a descriptor of the child's that leads to its inode and
 * has no lock. */
gboolean
qemu_img_add_image(struct qemu_img_command *command, int fd, GError **error)
{
    g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);
    int own = open(link, O_PATH | O_CLOEXEC);

    if (own < 0) {
        g_set_error(error, QEMU_IMG_ERROR, QEMU_IMG_ERROR_FAILED, "it cannot be handed over: %s",
                    g_strerror(errno));
        return FALSE;
    }
    qemu_img_add_arguments(command, image_names[command->fd_count], NULL);
    command->fds[command->fd_count++] = own;
    return TRUE;
}

/* ---- Running --------------------------------------------------------------------------- */

/* "    (12.34/100%)\r", in whatever pieces. */
static void
read_progress(struct qemu_img_command *command)
{
    const char *start = strrchr(command->answer->str, '(');
    double percent;
    char *end;

    if (!start || !strchr(start, ')'))
        return;
    percent = g_ascii_strtod(start + 1, &end);
    if (end != start + 1 && *end == '/' && percent > command->percent) {
        command->percent = percent;
        if (command->run->progress)
            command->run->progress(percent, command->run->data);
    }
    g_string_erase(command->answer, 0, start - command->answer->str + 1);
}

static void
take_output(const char *text, gsize length, void *data)
{
    struct qemu_img_command *command = data;

    if (command->answer->len + length > ANSWER_MAX)
        return;
    g_string_append_len(command->answer, text, (gssize)length);
    if (command->progresses)
        read_progress(command);
}

/* What it said, on one line and with words for what only this process calls so. */
static char *
clean_message(const char *said)
{
    static const struct {
        const char *from, *to;
    } words[] = {
        { "'/proc/self/fd/3'", "the image" },
        { "'/proc/self/fd/4'", "the other image" },
        { "/proc/self/fd/3", "the image" },
        { "/proc/self/fd/4", "the other image" },
        { "qemu-img: ", "" },
    };
    g_autoptr(GString) text = g_string_new(said);
    g_auto(GStrv) lines = NULL;
    char *joined;

    for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
        g_string_replace(text, words[i].from, words[i].to, 0);
    lines = g_strsplit(g_strstrip(text->str), "\n", -1);
    joined = g_strjoinv("; ", lines);
    return joined;
}

static enum qemu_img_error
code_of(const char *said)
{
    if (strstr(said, "No space left on device") || strstr(said, "Disk quota exceeded"))
        return QEMU_IMG_ERROR_NO_SPACE;
    if (strstr(said, "Is another process using the image"))
        return QEMU_IMG_ERROR_LOCKED;
    return QEMU_IMG_ERROR_FAILED;
}

void
qemu_img_set_failure(const struct qemu_img_command *command, const struct subprocess_end *end,
                     GError **error)
{
    const char *verb = g_ptr_array_index(command->argv, 1);
    g_autofree char *said = clean_message(end->message);

    if (end->signal != 0)
        g_set_error(error, QEMU_IMG_ERROR, QEMU_IMG_ERROR_FAILED,
                    "qemu-img %s was ended by signal %d (%s)%s%s", verb, end->signal,
                    g_strsignal(end->signal), *said ? ": " : "", said);
    else if (*said)
        g_set_error(error, QEMU_IMG_ERROR, code_of(said), "qemu-img %s: %s", verb, said);
    else
        g_set_error(error, QEMU_IMG_ERROR, QEMU_IMG_ERROR_FAILED,
                    "qemu-img %s failed without a word, with status %d", verb, end->status);
}

int
qemu_img_command_run(struct qemu_img_command *command, struct subprocess_end *end, GError **error)
{
    g_autoptr(GError) reason = NULL;
    struct subprocess run = {
        .fds = command->fds,
        .fd_count = command->fd_count,
        .idle = command->run->idle,
        .cancellable = command->run->cancellable,
        .output = take_output,
        .data = command,
    };

    g_ptr_array_add(command->argv, NULL);
    run.argv = (const char *const *)command->argv->pdata;
    if (!subprocess_run(&run, end, &reason)) {
        if (g_error_matches(reason, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT))
            g_set_error_literal(error, QEMU_IMG_ERROR, QEMU_IMG_ERROR_ABSENT,
                                "there is no qemu-img on this host: install it (package "
                                "qemu-utils or qemu-img)");
        else if (reason->domain == G_IO_ERROR)
            g_propagate_error(error, g_steal_pointer(&reason));
        else
            g_set_error(error, QEMU_IMG_ERROR, QEMU_IMG_ERROR_FAILED, "qemu-img cannot be run: %s",
                        reason->message);
        return -1;
    }
    if (end->status < 0)
        qemu_img_set_failure(command, end, error);
    return end->status;
}

gboolean
qemu_img_command_succeeds(struct qemu_img_command *command, GError **error)
{
    struct subprocess_end end = { 0 };
    int status = qemu_img_command_run(command, &end, error);

    if (status > 0)
        qemu_img_set_failure(command, &end, error);
    g_free(end.message);
    return status == 0;
}

JsonObject *
qemu_img_parse_answer(const struct qemu_img_command *command, JsonParser *parser, GError **error)
{
    g_autoptr(GError) reason = NULL;
    JsonNode *root = NULL;

    if (json_parser_load_from_data(parser, command->answer->str, (gssize)command->answer->len,
                                   &reason))
        root = json_parser_get_root(parser);
    if (root && JSON_NODE_HOLDS_OBJECT(root))
        return json_node_get_object(root);
    g_set_error(error, QEMU_IMG_ERROR, QEMU_IMG_ERROR_ANSWER,
                "the answer of qemu-img %s is not understood%s%s",
                (const char *)g_ptr_array_index(command->argv, 1), reason ? ": " : "",
                reason ? reason->message : "");
    return NULL;
}
