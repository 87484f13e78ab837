/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.c: where a report or diff is written to, and what became of that.
 */
#include <errno.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "cli/stream.h"

#define BUFFER_SIZE (64 * 1024)

gboolean
stream_is_terminal(const struct stream *stream)
{
    return isatty(fileno(stream->file));
}

gboolean
stream_open(struct stream *stream, const char *path, FILE *standard, GError **error)
{
    stream->path = g_strdup(path);
    stream->error = 0;
    stream->file = path ? g_fopen(path, "we") : standard;
    if (!stream->file) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "cannot open %s: %s", path,
                    g_strerror(errno));
        g_clear_pointer(&stream->path, g_free);
        return FALSE;
    }
    /* A person wants to see each line at once. */
    if (!stream_is_terminal(stream) && standard != stderr)
        setvbuf(stream->file, NULL, _IOFBF, BUFFER_SIZE);
    return TRUE;
}

gboolean
stream_check(struct stream *stream)
{
    if (!stream->error && ferror(stream->file))
        stream->error = errno ? errno : EIO;
    return !stream->error;
}

gboolean
stream_close(struct stream *stream)
{
    if (!stream->file)
        return TRUE;
    /* What failed earlier may have left nothing to be flushed. */
    stream_check(stream);
    if (fflush(stream->file) != 0 && !stream->error)
        stream->error = errno;
    if (stream->path && fclose(stream->file) != 0 && !stream->error)
        stream->error = errno;
    stream->file = NULL;
    g_clear_pointer(&stream->path, g_free);
    return !stream->error;
}

gboolean
stream_reader_is_gone(const struct stream *stream)
{
    return stream->error == EPIPE;
}

gboolean
stream_has_color(const struct stream *stream, enum color_when when)
{
    const char *no_color = g_getenv("NO_COLOR");
    const char *terminal = g_getenv("TERM");

    if (stream->path || when == COLOR_NEVER)
        return FALSE;
    if (when == COLOR_ALWAYS)
        return TRUE;
    return !(no_color && *no_color) && terminal && *terminal && !g_str_equal(terminal, "dumb") &&
           stream_is_terminal(stream);
}
