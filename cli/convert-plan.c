/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert-plan.c: the conversions of a run.
 */
#include "cli/convert-plan.h"

#include <string.h>
#include <unistd.h>

#include "apply/conversion.h"
#include "apply/space.h"
#include "cli/message.h"
#include "cli/progress.h"

/* For the estimate of the time that a copy takes; said with it. */
#define ASSUMED_MIB_PER_SECOND 200

static void
planned_free(gpointer data)
{
    struct planned *planned = data;

    g_free(planned->label);
    g_free(planned->disk);
    g_free(planned->to);
    g_free(planned->preallocation);
    convert_record_clear(&planned->record);
    g_free(planned->refused);
    g_free(planned);
}

void
convert_plan_free(struct convert_plan *plan)
{
    if (!plan)
        return;
    g_ptr_array_unref(plan->items);
    g_ptr_array_unref(plan->findings);
    g_ptr_array_unref(plan->documents);
    g_free(plan);
}

/* The image step of the finding's fix that the options ask for; it becomes the first fix. NULL where there is none. */
static const struct lint_step *
choose_step(struct lint_finding *finding, const struct options *options)
{
    for (guint i = 0; i < finding->fixes->len; i++) {
        struct lint_fix *fix = g_ptr_array_index(finding->fixes, i);
        const struct lint_step *step = fix->steps->len ? g_ptr_array_index(fix->steps, 0) : NULL;

        if (fix->effect != LINT_EFFECT_IMAGE || fix->safety == LINT_MANUAL || !step ||
            (options->to && !g_str_equal(step->to_format, options->to)))
            continue;
        finding->fixes->pdata[i] = finding->fixes->pdata[0];
        finding->fixes->pdata[0] = fix;
        return step;
    }
    return NULL;
}

struct convert_wish
convert_plan_wish(const struct run *run, const struct planned *planned,
                  const struct document *document)
{
    return (struct convert_wish){
        .connection = run->session ? run->session->connection : NULL,
        .domain = document->domain,
        .file = document->domain ? NULL : document->path,
        .text = domxml_doc_text(document->doc, NULL),
        .disk = planned->disk,
        .to = planned->to,
        .preallocation = planned->preallocation,
        .run = {
            .cancellable = interrupt_cancellable(run->interrupt),
            .idle = !isatty(STDERR_FILENO),
            .rate_limit_mib = run->options->rate_limit,
        },
    };
}

/* What stands against it but that the domain runs, where it is to be shut down. */
static void
look(const struct run *run, struct planned *planned, const struct document *document)
{
    const struct convert_wish wish = convert_plan_wish(run, planned, document);
    g_autoptr(GPtrArray) refusals = convert_look(&wish, run->options->mode == MODE_FIX,
                                                   &planned->record, &planned->size);
    g_autoptr(GPtrArray) rest = g_ptr_array_new();

    for (guint i = 0; i < refusals->len; i++) {
        const struct preflight_refusal *refusal = g_ptr_array_index(refusals, i);

        if (refusal->code == PREFLIGHT_RUNNING)
            planned->shut_down = run->options->shutdown;
    }
    for (guint i = 0; i < refusals->len; i++) {
        struct preflight_refusal *refusal = g_ptr_array_index(refusals, i);

        /* What is so because the guest runs is asked again once it is off. */
        if (!planned->shut_down ||
            (refusal->code != PREFLIGHT_RUNNING && refusal->code != PREFLIGHT_GUARD &&
             refusal->code != PREFLIGHT_OPEN && refusal->code != PREFLIGHT_DIRTY &&
             refusal->code != PREFLIGHT_UNREADABLE))
            g_ptr_array_add(rest, refusal);
    }
    if (rest->len)
        planned->refused = conversion_refusals_text(rest);
}

static void
add_finding(struct convert_plan *plan, const struct run *run, guint target,
            const struct document *document, struct lint_finding *finding)
{
    const struct lint_step *step = choose_step(finding, run->options);
    struct planned *planned;

    if (finding->result != LINT_RESULT_FAIL || !step || !finding->subject)
        return;
    planned = g_new0(struct planned, 1);
    planned->target = target;
    planned->label = g_strdup_printf("%s, disk %s", document->target.name, finding->subject);
    planned->finding = finding;
    planned->disk = g_strdup(finding->subject);
    planned->elem = domxml_disk(document->doc, (size_t)finding->disk);
    planned->to = g_strdup(step->to_format);
    planned->preallocation = g_strdup(run->options->preallocation ? run->options->preallocation
                                                                  : step->preallocation);
    if (run->options->preallocation) {
        struct lint_fix *fix = g_ptr_array_index(finding->fixes, 0);

        g_free(fix->title);
        fix->title = g_strdup_printf("convert to %s, preallocation=%s", planned->to,
                                     planned->preallocation);
    }
    look(run, planned, document);
    g_ptr_array_add(plan->items, planned);
}

static void
add_target(struct convert_plan *plan, struct run *run, guint index)
{
    struct document *document = document_read(g_ptr_array_index(run->targets, index), run->session,
                                              run->facts);
    GPtrArray *findings;
    guint before = plan->items->len;

    if (!document->doc || g_strcmp0(document->path, "-") == 0) {
        document_free(document);
        return;
    }
    findings = lint_run(run->selection, document->doc, document->facts);
    for (guint i = 0; i < findings->len; i++)
        add_finding(plan, run, index, document, g_ptr_array_index(findings, i));
    if (plan->items->len > before) {
        g_ptr_array_add(plan->findings, findings);
        g_ptr_array_add(plan->documents, document);
    } else {
        g_ptr_array_unref(findings);
        document_free(document);
    }
}

/* What does not fit is refused: all of it on that file system, since nobody can say which was meant. */
static void
fit(struct convert_plan *plan)
{
    struct space *space = space_new();
    g_autoptr(GPtrArray) left = NULL;
    g_autoptr(GPtrArray) shortages = NULL;

    for (guint i = 0; i < plan->items->len; i++) {
        const struct planned *planned = g_ptr_array_index(plan->items, i);
        g_autofree char *folder =
            planned->record.real ? g_path_get_dirname(planned->record.real) : NULL;
        const struct space_need need = {
            .folder = folder,
            .name = planned->label,
            .bytes = planned->size.required,
            .bytes_least = planned->size.required,
        };

        if (!planned->refused && folder)
            space_add(space, &need, NULL);
    }
    left = space_measure(space, NULL);
    shortages = left ? space_shortage(space, left) : NULL;
    if (shortages && shortages->len) {
        g_autoptr(GString) text = g_string_new(NULL);

        for (guint i = 0; i < shortages->len; i++)
            g_string_append_printf(text, "%s%s", i ? "; " : "",
                                   (const char *)g_ptr_array_index(shortages, i));
        for (guint i = 0; i < plan->items->len; i++) {
            struct planned *planned = g_ptr_array_index(plan->items, i);

            if (!planned->refused)
                planned->refused = g_strdup(text->str);
        }
    }
    space_free(space);
}

struct convert_plan *
convert_plan_new(struct run *run)
{
    struct convert_plan *plan = g_new0(struct convert_plan, 1);

    plan->items = g_ptr_array_new_with_free_func(planned_free);
    plan->findings = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    plan->documents = g_ptr_array_new_with_free_func((GDestroyNotify)document_free);
    for (guint i = 0; i < run->targets->len; i++)
        add_target(plan, run, i);
    fit(plan);
    return plan;
}

static void
show_one(const struct planned *planned)
{
    g_autofree char *takes = progress_size(planned->size.required);
    g_autofree char *cost = NULL;
    guint64 seconds = planned->size.required / (ASSUMED_MIB_PER_SECOND * 1024 * 1024) * 2 + 1;

    if (planned->refused) {
        message("%s: will not be converted: %s", planned->label, planned->refused);
        return;
    }
    /* Without a lock, which --diff does not take, the size is not asked for. */
    if (planned->size.required)
        cost = g_strdup_printf("takes %s of space; the domain must stay off for about "
                               "%" G_GUINT64_FORMAT " s (at %d MiB/s)", takes, seconds,
                               ASSUMED_MIB_PER_SECOND);
    message("%s: %s (%s) will be converted to %s (%s, preallocation=%s): %s%s; the original is kept",
            planned->label, planned->record.path, planned->record.from, planned->record.new_path,
            planned->to, planned->preallocation, cost ? cost : "the domain must stay off meanwhile",
            planned->shut_down ? ", and is shut down for it and started again" : "");
}

guint
convert_plan_show(const struct convert_plan *plan, const struct run *run)
{
    guint count = 0;

    for (guint i = 0; i < plan->items->len; i++) {
        const struct planned *planned = g_ptr_array_index(plan->items, i);

        if (!run->options->quiet)
            show_one(planned);
        count += !planned->refused;
    }
    return count;
}

GPtrArray *
convert_plan_of(const struct convert_plan *plan, guint index)
{
    GPtrArray *items = g_ptr_array_new();

    for (guint i = 0; plan && i < plan->items->len; i++) {
        struct planned *planned = g_ptr_array_index(plan->items, i);

        if (planned->target == index)
            g_ptr_array_add(items, planned);
    }
    return items;
}
