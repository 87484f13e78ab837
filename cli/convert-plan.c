/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convert-plan.c: the conversions of a run.
 */
#include "cli/convert-plan.h"

#include <string.h>
#include <unistd.h>

#include "apply/conversion.h"
#include "cli/convert-cost.h"
#include "cli/message.h"

static void
planned_free(gpointer data)
{
    struct planned *planned = data;

    g_free(planned->label);
    g_free(planned->disk);
    g_free(planned->to);
    g_free(planned->preallocation);
    convert_record_clear(&planned->record);
    g_free(planned->digest);
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
    g_ptr_array_unref(plan->room);
    g_free(plan);
}

/* The image step of the finding's fix that the options ask for; it becomes the first fix. NULL
 * where there is none. */
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
        .number = planned->number,
        .state_dir = run->options->state_dir_given ? run->options->state_dir : NULL,
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

static struct planned *
add_planned(struct convert_plan *plan, guint target, const struct document *document,
            struct lint_finding *finding)
{
    struct planned *planned = g_new0(struct planned, 1);

    planned->target = target;
    planned->label = g_strdup_printf("%s, disk %s", document->target.name, finding->subject);
    planned->finding = finding;
    planned->disk = g_strdup(finding->subject);
    planned->elem = domxml_disk(document->doc, (size_t)finding->disk);
    planned->digest = document_digest(document);
    g_ptr_array_add(plan->items, planned);
    planned->number = plan->items->len;
    return planned;
}

static void
add_step(struct convert_plan *plan, const struct run *run, guint target,
         const struct document *document, struct lint_finding *finding,
         const struct lint_step *step)
{
    struct planned *planned = add_planned(plan, target, document, finding);

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
    convert_cost_estimate(planned, document->facts->image(document->facts, planned->elem));
}

/* Whether the finding asks for a conversion that the rule knows already not to be safe. */
static gboolean
is_described(const struct lint_finding *finding)
{
    const struct lint_fix *fix = finding->fixes->len ? finding->fixes->pdata[0] : NULL;

    return fix && fix->effect == LINT_EFFECT_IMAGE && fix->safety == LINT_MANUAL &&
           fix->steps->len == 0 && finding->severity > LINT_INFO;
}

/* It was asked for, and so it is refused, with all that stands against it. */
static void
add_described(struct convert_plan *plan, const struct run *run, guint target,
              const struct document *document, struct lint_finding *finding)
{
    struct planned *planned = add_planned(plan, target, document, finding);
    const struct lint_fix *fix = g_ptr_array_index(finding->fixes, 0);

    planned->to = g_strdup("raw");
    planned->preallocation = g_strdup("falloc");
    look(run, planned, document);
    if (!planned->refused && fix->notes->len)
        planned->refused = g_strdup(g_ptr_array_index(fix->notes, 0));
    if (!planned->refused)
        planned->refused = g_strdup("it has to be done by hand");
}

static void
add_finding(struct convert_plan *plan, const struct run *run, guint target,
            const struct document *document, struct lint_finding *finding)
{
    const struct lint_step *step;

    if (finding->result != LINT_RESULT_FAIL || !finding->subject)
        return;
    step = choose_step(finding, run->options);
    if (step)
        add_step(plan, run, target, document, finding, step);
    else if (is_described(finding))
        add_described(plan, run, target, document, finding);
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

/* Two targets may name one image: files that no connection knows. Converting it for one would
 * leave the other behind. */
static void
refuse_shared(const struct convert_plan *plan)
{
    for (guint i = 0; i < plan->items->len; i++) {
        struct planned *one = g_ptr_array_index(plan->items, i);

        for (guint j = 0; j < i; j++) {
            struct planned *other = g_ptr_array_index(plan->items, j);

            if (g_strcmp0(one->record.real, other->record.real) != 0 || !one->record.real)
                continue;
            if (!one->refused)
                one->refused = g_strdup_printf("%s has the same image", other->label);
            if (!other->refused)
                other->refused = g_strdup_printf("%s has the same image", one->label);
        }
    }
}

struct convert_plan *
convert_plan_new(struct run *run)
{
    struct convert_plan *plan = g_new0(struct convert_plan, 1);

    plan->items = g_ptr_array_new_with_free_func(planned_free);
    plan->findings = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    plan->documents = g_ptr_array_new_with_free_func((GDestroyNotify)document_free);
    plan->room = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < run->targets->len; i++)
        add_target(plan, run, i);
    refuse_shared(plan);
    convert_cost_fit(plan);
    return plan;
}

static void
show_one(const struct planned *planned)
{
    g_autofree char *cost = NULL;

    if (planned->refused) {
        message("%s: will not be converted: %s", planned->label, planned->refused);
        return;
    }
    cost = convert_cost_text(planned);
    message("%s: %s (%s) will be converted to %s (%s, preallocation=%s): %s%s; the original is "
            "kept", planned->label, planned->record.path, planned->record.from,
            planned->record.new_path, planned->to, planned->preallocation, cost,
            planned->shut_down ? ", and is shut down for it and started again" : "");
}

guint
convert_plan_show(const struct convert_plan *plan, const struct run *run)
{
    gboolean asks = run->options->mode == MODE_FIX && !run->options->yes;
    gboolean quiet = run->options->quiet && !asks;
    guint count = 0;

    for (guint i = 0; i < plan->items->len; i++) {
        const struct planned *planned = g_ptr_array_index(plan->items, i);

        /* What is refused is said when its turn comes, too. */
        if (!quiet && (!planned->refused || asks || run->options->mode == MODE_DIFF))
            show_one(planned);
        count += !planned->refused;
    }
    for (guint i = 0; !quiet && count && i < plan->room->len; i++)
        message("%s afterwards", (const char *)g_ptr_array_index(plan->room, i));
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
