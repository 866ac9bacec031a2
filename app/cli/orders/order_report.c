#include "cli/orders/order_parts.h"
#include "base/base.h"

#include "formats/graphs/order_file.h"
#include "planners/planner.h"
#include "view/view.h"

bool sw_cli_reordered(const struct sw_search *search) {
    return sw_search_problem(search) != sw_search_given(search);
}

static bool is_asked_for(const struct sw_search *search, const char *key) {
    return *sw_params_text(sw_search_params(search), sw_search_planner(search), key) != '\0';
}

const char *sw_cli_order_least(const struct sw_search *search) {
    return is_asked_for(search, "before") || is_asked_for(search, "together")
               ? "no order with what was asked for needs less"
               : "no order needs less";
}

static void put_order_words(const struct sw_search *search, const char *order, uint64_t bytes, uint64_t before,
                            uint64_t bound, char *text, size_t size) {
    char exact[32], percent[16], rest[96] = "";
    double change = before ? (double)bytes / (double)before - 1 : 0;
    if (bytes <= bound) {
        snprintf(rest, sizeof rest, "; %s", sw_cli_order_least(search));
    } else {
        snprintf(rest, sizeof rest, "; every order needs %s B", sw_show_count(bound, (char[32]){0}));
    }
    if (bytes == before) {
        snprintf(text, size, "as much as in %s%s", sw_order_words(order), rest);
    } else {
        snprintf(text, size, "%s B in %s, %s%s", sw_show_count(before, exact), sw_order_words(order),
                 sw_show_percent(change, true, percent), rest);
    }
}

bool sw_cli_order_words(const struct sw_search *search, const char *order, uint64_t *bytes, char *text, size_t size) {
    struct sw_claims claims;
    sw_search_claims(search, &claims);
    if (!sw_search_planner(search)->reorders || claims.order_peak == 0) {
        return false;
    }
    *bytes = claims.order_peak;
    put_order_words(search, order, claims.order_peak, claims.order_before, claims.order_bound, text, size);
    return true;
}
