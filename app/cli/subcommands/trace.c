/* stowage trace: what was decided, one JSON object a line. */
#include "cli/shared/output.h"
#include "base/base.h"
#include "cli/shared/run.h"
#include "cli/shared/summary.h"
#include "formats/trace/trace_objects.h"
#include "formats/trace/trace_write.h"
#include "lua/planning/condition.h"
#include "planners/planner.h"
#include "search/result/run_plan.h"
#include "search/result/curve.h"

enum { SENTENCE_ROOM = SW_MESSAGE };
#define ENOUGH_LINES (1u << 16) /* bytes collected before they go to standard output */

struct trace {
    const struct sw_cli *cli;
    struct sw_search *search;
    const struct sw_problem *problem;
    bool tries;                 /* the planner makes several layouts */
    struct sw_condition *where; /* NULL: every decision */
    struct sw_sink out;
    struct sw_json_out json; /* into it */
    uint64_t candidates;     /* looked at so far */
    /* the unit being collected, at the levels above a decision */
    struct sw_decision last;
    uint64_t first, count;         /* count 0: none is open */
    struct sw_metrics now, before; /* of the whole layout: now, and before the unit */
    double cost, cost_before;      /* NaN: none is known */
};

/* ---- values ---- */

static const char *traced_buffer_name(const struct trace *trace, uint32_t buffer) {
    return buffer == SW_NONE ? NULL : sw_problem_buffer(trace->problem, buffer)->name;
}

static const char *traced_tier_name(const struct trace *trace, uint32_t tier) {
    return tier == SW_NONE ? NULL : sw_problem_tier(trace->problem, tier)->name;
}

static void put_time(struct trace *trace, uint32_t time) {
    time == SW_NONE ? sw_put_null(&trace->json, "time")
                    : sw_put_time(&trace->json, "time", sw_problem_time(trace->problem, time));
}

/* ---- objects ---- */

/* The keys every level has. Offsets are addresses when there is a base. */
static void put_head(struct trace *trace, const struct sw_decision *decision) {
    struct sw_json_out *json = &trace->json;
    bool placed = sw_curve_addressed(decision);
    sw_put_object(json, NULL);
    sw_put_count(json, "step", decision->step);
    sw_put_text(json, "level", sw_level_name(trace->cli->level));
    sw_put_text(json, "kind", sw_decision_called(decision));
    sw_put_text(json, "buffer", traced_buffer_name(trace, decision->buffer));
    sw_put_text(json, "tier", traced_tier_name(trace, decision->tier));
    sw_put_known(json, "offset", placed, trace->cli->base + decision->offset);
    sw_put_known(json, "size", placed || decision->buffer != SW_NONE, decision->size);
    sw_put_count(json, "peak", decision->peak);
    sw_put_known(json, "live", decision->time != SW_NONE, decision->live);
    sw_put_number(json, "cost", decision->cost);
    char reason[SW_REASON];
    sw_put_text(json, "reason", sw_decision_reason(decision, reason));
}

static void put_candidate(struct trace *trace, const char *key, const struct sw_candidate *candidate) {
    struct sw_json_out *json = &trace->json;
    sw_put_object(json, key);
    sw_put_text(json, "tier", traced_tier_name(trace, candidate->tier));
    bool space = !candidate->runs && !candidate->changes, figures = space && !sw_candidate_only_said(candidate);
    sw_put_known(json, "offset", figures, trace->cli->base + candidate->offset);
    sw_put_known(json, "size", figures && candidate->size != SW_UNBOUNDED, candidate->size);
    sw_put_text(json, "verdict", sw_verdict_word(candidate->verdict));
    sw_put_text(json, "reason", candidate->reason);
    if (!space) {
        const struct sw_problem *given = sw_search_given(trace->search);
        sw_put_text(json, "operator",
                    candidate->op == SW_NONE ? NULL : sw_problem_operator(given, candidate->op)->name);
    }
    if (candidate->runs) {
        SW_PUT_COUNTS(json, {"during", candidate->size}, {candidate->backward ? "before" : "after", candidate->offset});
    } else if (candidate->changes) {
        sw_put_known(json, "needs", candidate->size != SW_UNBOUNDED, candidate->size);
    }
    sw_put_end(json);
}

static void put_moved_json(struct trace *trace, const char *key, const struct sw_moved *moved) {
    struct sw_json_out *json = &trace->json;
    sw_put_object(json, key);
    sw_put_text(json, "buffer", traced_buffer_name(trace, moved->buffer));
    sw_put_text(json, "tier", traced_tier_name(trace, moved->tier));
    SW_PUT_COUNTS(json, {"from", trace->cli->base + moved->from}, {"to", trace->cli->base + moved->to});
    sw_put_end(json);
}

/* What only some planners have: the action tried, members of a population, a part, figures. */
static void put_particulars(struct sw_json_out *json, const struct sw_decision *decision) {
    uint32_t part = sw_decision_part(decision);
    sw_put_text(json, "action", sw_decision_action(decision));
    sw_put_list(json, "members");
    for (unsigned i = 0; sw_decision_member(decision, i) != SW_NONE; i++) {
        sw_put_count(json, NULL, sw_decision_member(decision, i));
    }
    sw_put_end(json);
    sw_put_known(json, "part", part != SW_NONE, part);
    sw_put_list(json, "figures");
    for (unsigned i = 0; i < 3; i++) {
        sw_put_number(json, NULL, sw_decision_figure(decision, i));
    }
    sw_put_end(json);
}

/* What only this kind of decision has, by name: see engine/search/decisions.def. */
static void put_operands_json(const struct trace *trace, struct sw_json_out *json, const struct sw_decision *decision) {
    sw_put_object(json, "operands");
    for (const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)decision->kind); o->name; o++) {
        sw_trace_put_operand(trace->problem, decision, o, json);
    }
    sw_put_end(json);
}

/* The whole of it in words; --base makes offsets addresses there, too. */
static void describe_addressed(const struct trace *trace, const struct sw_decision *decision,
                               char text[SENTENCE_ROOM]) {
    struct sw_decision addressed = *decision;
    if (decision->tier != SW_NONE) {
        addressed.offset += trace->cli->base;
    }
    sw_decision_describe(trace->problem, &addressed, text, SENTENCE_ROOM);
}

static void put_sentence_json(struct trace *trace, const struct sw_decision *decision) {
    char text[SENTENCE_ROOM];
    describe_addressed(trace, decision, text);
    sw_put_text(&trace->json, "sentence", text);
}

/* Is what lies there now a layout that the run gave up? null: no, or that is not known, as a limit stopped it. */
static void put_trial(struct trace *trace) {
    struct sw_trial trial;
    if (!trace->tries) {
        return;
    }
    if (!sw_search_trial(trace->search, &trial)) {
        sw_put_null(&trace->json, "trial");
        return;
    }
    sw_put_object(&trace->json, "trial");
    sw_put_known(&trace->json, "number", trial.number, trial.number);
    sw_put_count(&trace->json, "of", trial.count);
    sw_put_end(&trace->json);
}

/* The tables that the planner tells at the present step, of long ones the rows around the touched one. */
static void put_state(struct trace *trace) {
    struct sw_json_out *json = &trace->json;
    struct sw_state_tables tables = {.most = SW_TRACE_MOST_ROWS};
    sw_search_state(trace->search, &tables);
    sw_put_object(json, "state");
    for (size_t i = 0; i < tables.items.count; i++) {
        const struct sw_state_table *table = &tables.items.items[i];
        sw_put_object(json, sw_trace_table_name(&tables, i, (char[SW_TRACE_TABLE_NAME]){0}));
        sw_trace_put_columns(table, json);
        SW_PUT_COUNTS(json, {"row_count", table->row_count}, {"first", table->first});
        sw_put_known(json, "touched", table->touched != SW_NO_ROW, table->touched);
        sw_trace_put_rows(trace->problem, trace->cli->base, table, json);
        sw_put_end(json);
    }
    sw_put_end(json);
    json->out->failed |= tables.failed;
    sw_state_tables_done(&tables);
}

static void put_decision(struct trace *trace, const struct sw_explanation *why) {
    struct sw_json_out *json = &trace->json;
    const struct sw_decision *decision = &why->decision;
    put_head(trace, decision);
    sw_put_list(json, "candidates");
    for (size_t i = 0; i < why->candidates.count; i++) {
        put_candidate(trace, NULL, &why->candidates.items[i]);
    }
    sw_put_end(json);
    sw_put_list(json, "moved");
    for (size_t i = 0; i < why->moved.count; i++) {
        put_moved_json(trace, NULL, &why->moved.items[i]);
    }
    sw_put_end(json);
    put_time(trace, decision->time);
    sw_put_text(json, "other", traced_buffer_name(trace, sw_decision_other(decision)));
    sw_put_known(json, "amount", sw_decision_amount(decision) != SW_UNBOUNDED, sw_decision_amount(decision));
    sw_put_truth(json, "forced", decision->forced);
    put_particulars(json, decision);
    put_operands_json(trace, json, decision);
    sw_put_count(json, "peak_before", decision->peak_before);
    put_trial(trace);
    put_sentence_json(trace, decision);
    if (trace->cli->state) {
        put_state(trace);
    }
    sw_put_end(json);
}

/* What an event did, in words. */
static void put_look(struct trace *trace, const struct sw_decision *decision, const struct sw_candidate *candidate) {
    char text[SENTENCE_ROOM];
    const char *tier = traced_tier_name(trace, candidate->tier), *name = traced_buffer_name(trace, decision->buffer);
    const char *verdict = sw_verdict_word(candidate->verdict);
    bool said = strstr(candidate->reason, verdict) != NULL ||
                (candidate->verdict == SW_VERDICT_FITS && sw_candidate_only_said(candidate));
    int used = tier ? snprintf(text, sizeof text, "looks at %s+%" PRIu64, tier, trace->cli->base + candidate->offset)
                    : snprintf(text, sizeof text, "looks at a possibility");
    used = used < (int)sizeof text ? used : (int)sizeof text - 1;
    snprintf(text + used, sizeof text - (size_t)used, "%s%s: %s%s%s", name ? " for " : "", name ? name : "",
             said ? "" : verdict, said ? "" : ", ", candidate->reason);
    sw_put_text(&trace->json, "sentence", text);
}

static void put_move(struct trace *trace, const struct sw_moved *moved) {
    char text[SENTENCE_ROOM];
    snprintf(text, sizeof text, "moves %s in %s, %" PRIu64 " -> %" PRIu64,
             sw_problem_buffer(trace->problem, moved->buffer)->name, sw_problem_tier(trace->problem, moved->tier)->name,
             trace->cli->base + moved->from, trace->cli->base + moved->to);
    sw_put_text(&trace->json, "sentence", text);
}

static void open_event(struct trace *trace, const char *kind, uint64_t step, uint64_t event, uint32_t buffer) {
    struct sw_json_out *json = &trace->json;
    sw_put_object(json, NULL);
    sw_put_count(json, "step", step);
    sw_put_text(json, "level", "event");
    sw_put_text(json, "kind", kind);
    sw_put_count(json, "event", event);
    sw_put_text(json, "buffer", traced_buffer_name(trace, buffer));
}

/* Events: every candidate, then every block that moved; a decision with neither is one event. */
static void put_events(struct trace *trace, const struct sw_explanation *why) {
    struct sw_json_out *json = &trace->json;
    const struct sw_decision *decision = &why->decision;
    uint64_t event = 0;
    for (size_t i = 0; i < why->candidates.count; i++) {
        open_event(trace, "candidate", decision->step, ++event, decision->buffer);
        put_candidate(trace, "candidate", &why->candidates.items[i]);
        put_look(trace, decision, &why->candidates.items[i]);
        sw_put_end(json);
    }
    for (size_t i = 0; i < why->moved.count; i++) {
        open_event(trace, "move", decision->step, ++event, why->moved.items[i].buffer);
        put_moved_json(trace, "move", &why->moved.items[i]);
        put_move(trace, &why->moved.items[i]);
        sw_put_end(json);
    }
    if (!event) {
        put_head(trace, decision);
        sw_put_count(json, "event", 1);
        put_sentence_json(trace, decision);
        sw_put_end(json);
    }
}

/* ---- units of several decisions ---- */

/* "operator conv_1", "group 2 (size class)", "the run of first-fit". */
static void name_unit(const struct trace *trace, char *text, size_t size) {
    uint32_t time = trace->last.time;
    const struct sw_planner *planner = sw_search_planner(trace->search);
    if (trace->cli->level == SW_LEVEL_GROUP) {
        snprintf(text, size, "group %" PRIu32 "%s%s%s", trace->last.group, planner->group_noun ? " (" : "",
                 planner->group_noun ? planner->group_noun : "", planner->group_noun ? ")" : "");
    } else if (trace->cli->level == SW_LEVEL_RUN) {
        snprintf(text, size, "the run of %s", planner->name);
    } else if (time == SW_NONE) {
        snprintf(text, size, "outside any operator");
    } else if (time < sw_problem_operator_count(trace->problem)) {
        snprintf(text, size, "operator %s", sw_problem_operator(trace->problem, time)->name);
    } else {
        snprintf(text, size, "time %" PRId64, sw_problem_time(trace->problem, time));
    }
}

/* Of each tier in use, where there are several. */
static void describe_peaks(const struct trace *trace, char *text, size_t size) {
    size_t used = 0;
    if (trace->before.single_tier && trace->now.single_tier) {
        snprintf(text, size, ", peak %" PRIu64 " -> %s", trace->before.peak, SW_BYTES(trace->now.peak));
        return;
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(trace->problem) && used < size; t++) {
        if (trace->before.tier_peak[t] > 0 || trace->now.tier_peak[t] > 0) {
            used += (size_t)snprintf(text + used, size - used, ", peak of %s %" PRIu64 " -> %s",
                                     sw_problem_tier(trace->problem, t)->name, trace->before.tier_peak[t],
                                     SW_BYTES(trace->now.tier_peak[t]));
        }
    }
}

/* A unit in words: how many decisions, the figures before and after it, and what it ended with. */
static void put_unit(struct trace *trace) {
    char text[3 * SENTENCE_ROOM], unit[400], cost[80] = "", last[SENTENCE_ROOM], peaks[SENTENCE_ROOM];
    describe_peaks(trace, peaks, sizeof peaks);
    name_unit(trace, unit, sizeof unit);
    describe_addressed(trace, &trace->last, last);
    if (!isnan(trace->cost) && !isnan(trace->cost_before)) {
        snprintf(cost, sizeof cost, ", cost %s -> %s", SW_NUMBER(trace->cost_before), SW_NUMBER(trace->cost));
    } else if (!isnan(trace->cost)) {
        snprintf(cost, sizeof cost, ", cost %s", SW_NUMBER(trace->cost));
    }
    snprintf(text, sizeof text, "%s: %" PRIu64 " decision%s%s%s; at last it %s", unit, trace->count,
             trace->count == 1 ? "" : "s", peaks, cost, last);
    sw_put_known(&trace->json, "peak_before", trace->before.single_tier && trace->now.single_tier, trace->before.peak);
    sw_put_text(&trace->json, "sentence", text);
}

static void close_unit(struct trace *trace) {
    struct sw_json_out *json = &trace->json;
    if (!trace->count) {
        return;
    }
    put_head(trace, &trace->last);
    SW_PUT_COUNTS(json, {"first_step", trace->first}, {"decisions", trace->count});
    put_time(trace, trace->last.time);
    if (trace->cli->level == SW_LEVEL_OPERATOR) {
        uint32_t time = trace->last.time;
        sw_put_text(json, "operator",
                    time < sw_problem_operator_count(trace->problem) ? sw_problem_operator(trace->problem, time)->name
                                                                     : NULL);
    } else if (trace->cli->level == SW_LEVEL_GROUP) {
        sw_put_count(json, "group", trace->last.group);
    }
    put_unit(trace);
    sw_put_end(json);
    trace->count = 0;
}

static bool first_of_unit(const struct trace *trace, const struct sw_decision *decision) {
    bool operators = trace->cli->level == SW_LEVEL_OPERATOR, groups = trace->cli->level == SW_LEVEL_GROUP;
    return (operators && decision->time != trace->last.time) ||
           ((operators || groups) && decision->group != trace->last.group);
}

static void collect_unit(struct trace *trace, const struct sw_decision *decision) {
    if (trace->count && first_of_unit(trace, decision)) {
        close_unit(trace);
    }
    if (!trace->count) {
        trace->first = decision->step;
        trace->before = trace->now;
        trace->cost_before = trace->cost;
    }
    sw_metrics_of(sw_search_layout(trace->search), &trace->now);
    trace->cost = isnan(decision->cost) ? trace->cost : decision->cost;
    trace->last = *decision;
    trace->count++;
}

/* ---- the run ---- */

/* Straight to standard output, so that a long trace needs no memory and can be watched. A trace
 * that goes into a file is written whole or not at all. */
static bool pour_trace(struct trace *trace, size_t enough, struct sw_error *error) {
    if (trace->out.text.count < enough || trace->out.failed ||
        (trace->cli->output && strcmp(trace->cli->output, "-") != 0)) {
        return true;
    }
    bool ok = sw_sink_commit(&trace->out, "-", error);
    trace->out.text.count = 0;
    return ok;
}

static enum sw_step trace_step(struct trace *trace, struct sw_explanation *why, struct sw_error *error) {
    enum sw_level level = trace->cli->level;
    bool detailed = level == SW_LEVEL_EVENT || level == SW_LEVEL_DECISION;
    bool wanted = sw_search_at(trace->search) + 1 >= trace->cli->from;
    if (sw_search_at(trace->search) + 1 == trace->cli->from) {
        sw_metrics_of(sw_search_layout(trace->search), &trace->now);
    }
    enum sw_step step =
        detailed && wanted ? sw_search_step_explained(trace->search, why, error) : sw_search_step(trace->search, error);
    trace->problem = sw_search_problem(trace->search);
    if (step != SW_STEP_MORE || !wanted) {
        return step;
    }
    if (detailed && !sw_cli_count_candidates(trace->cli, why, &trace->candidates, error)) {
        return SW_STEP_FAILED;
    }
    if (trace->where && !sw_condition_ask(trace->where, sw_search_problem(trace->search),
                                          sw_search_decision(trace->search), &wanted, error)) {
        return SW_STEP_FAILED;
    }
    if (!wanted) {
        return step;
    }
    if (level == SW_LEVEL_EVENT) {
        put_events(trace, why);
    } else if (level == SW_LEVEL_DECISION) {
        put_decision(trace, why);
    } else {
        collect_unit(trace, sw_search_decision(trace->search));
    }
    return step;
}

/* Which layouts are trials is known at the end: a run of a planner that tries several is made once before. False: no
 * memory. */
static bool look_ahead(struct trace *trace, struct sw_error *error) {
    const struct sw_planner *planner = sw_search_planner(trace->search);
    bool detailed = trace->cli->level == SW_LEVEL_DECISION;
    trace->tries = detailed && planner->settle && !planner->one_layout && !(planner->needs & SW_NEEDS_RECORDING);
    if (!trace->tries) {
        return true;
    }
    struct sw_error own = {0};
    enum sw_step step = SW_STEP_MORE;
    struct sw_watch watch = sw_watch_start(trace->cli, trace->search, true);
    while (step == SW_STEP_MORE && !sw_watch_stop(&watch, trace->search)) {
        step = sw_search_step(trace->search, &own);
    }
    sw_watch_end(&watch);
    return own.code == SW_ERROR_MEMORY ? sw_fail_memory(error) : sw_search_seek(trace->search, 0, error);
}

static int trace_run(struct trace *trace) {
    struct sw_error error = {0};
    struct sw_explanation why = {0};
    enum sw_step step = SW_STEP_MORE;
    bool ok = look_ahead(trace, &error);
    if (!ok) {
        return sw_cli_fail(&error);
    }
    struct sw_watch watch = sw_watch_start(trace->cli, trace->search, true);
    while (step == SW_STEP_MORE && sw_search_at(trace->search) < trace->cli->to && ok &&
           !sw_watch_stop(&watch, trace->search)) {
        step = trace_step(trace, &why, &error);
        ok = pour_trace(trace, ENOUGH_LINES, &error);
    }
    sw_watch_end(&watch);
    close_unit(trace);
    sw_explanation_done(&why);
    if (!ok || (step == SW_STEP_FAILED && error.code != SW_ERROR_INFEASIBLE)) {
        struct sw_error later = {0};
        if (ok && trace->candidates > trace->cli->max_candidates) {
            pour_trace(trace, 0, &later); /* what was decided before that */
        }
        sw_sink_done(&trace->out);
        return sw_cli_fail(&error);
    }
    int verdict = step == SW_STEP_MORE ? 0 : sw_summary_verdict(trace->search, &error);
    if (verdict == 2) { /* no memory, before anything is put */
        sw_sink_done(&trace->out);
        return sw_cli_fail(&error);
    }
    int status = sw_cli_put(trace->cli, &trace->out, 0);
    if (!status && verdict) {
        sw_cli_fail(&error);
    }
    return status ? status : verdict;
}

int sw_cli_trace(struct sw_cli *cli) {
    struct trace trace = {.cli = cli,
                          .now.single_tier = true,
                          .before.single_tier = true,
                          .cost = (double)NAN,
                          .cost_before = (double)NAN};
    int status = 2;
    struct sw_error error = {0};
    trace.json.out = &trace.out;
    if (cli->output && sw_trace_named(cli->output, NULL)) {
        return sw_cli_trace_file(cli);
    }
    if (cli->state && cli->level != SW_LEVEL_DECISION) {
        return sw_cli_tell(SW_ERROR_USAGE, NULL,
                           "--state is the state after each decision: it goes with --level decision");
    }
    if (cli->where && !(trace.where = sw_condition_new(cli->where, &error))) {
        return sw_cli_fail(&error);
    }
    struct sw_problem *problem = sw_cli_load(cli, NULL);
    trace.problem = problem;
    trace.search = problem ? sw_cli_search(cli, problem) : NULL;
    if (trace.search) {
        status = trace_run(&trace);
    }
    sw_search_free(trace.search);
    sw_problem_unref(problem);
    sw_condition_unref(trace.where);
    return status;
}
