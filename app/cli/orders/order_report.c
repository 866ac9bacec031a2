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

bool sw_cli_order_words(const struct sw_search *search, const char *order, uint64_t *bytes, char *text, size_t size) {
    struct sw_claims claims;
    char rest[96];
    sw_search_claims(search, &claims);
    uint64_t before = claims.order_before, after = claims.order_peak;
    if (!sw_search_planner(search)->reorders || after == 0) {
        return false;
    }
    if (after <= claims.order_bound) {
        snprintf(rest, sizeof rest, "; %s", sw_cli_order_least(search));
    } else {
        snprintf(rest, sizeof rest, "; every order needs %s", SW_BYTES(claims.order_bound));
    }
    if (after == before) {
        snprintf(text, size, "as much as in %s%s", sw_order_words(order), rest);
    } else {
        snprintf(text, size, "%s in %s, %s%s", SW_BYTES(before), sw_order_words(order),
                 sw_show_percent(before ? (double)after / (double)before - 1 : 0, true, (char[16]){0}), rest);
    }
    *bytes = after;
    return true;
}
