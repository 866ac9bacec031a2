#include "search/parting.h"
#include "base/minmax.h"

static bool over(const struct sw_search *search, uint64_t step) {
    return sw_search_known(search) < step && (sw_search_complete(search) || sw_search_failed(search, NULL));
}

bool sw_parting_find(struct sw_parting *parting, const struct sw_search *a, const struct sw_search *b, uint64_t most) {
    uint64_t x = sw_search_known(a), y = sw_search_known(b), end = SW_MIN(x, y);
    for (uint64_t looked = 0; !parting->step && parting->agreed < end; looked++) {
        uint64_t next = parting->agreed + 1;
        if (most && looked == most) {
            return true;
        }
        if (!parting->same(parting->context, sw_search_journal(a, next), sw_search_journal(b, next))) {
            parting->step = next;
            return false;
        }
        parting->agreed = next;
    }
    uint64_t next = parting->agreed + 1;
    if (!parting->step && ((over(a, next) && y >= next) || (over(b, next) && x >= next))) {
        parting->step = next;
    }
    return false;
}
