/* Numbers for people: the one place that formats them. */
#include "view/scene/scene.h"
#include "base/base.h"

static const char unit_letters[] = "BKMGTPE";

/* A figure with three digits in the largest unit that leaves at least 1 before the point, without
 * the zeros behind the point when it is exact. Returns the unit, 0 = bytes. */
static unsigned scale_bytes(uint64_t bytes, char *text, size_t size) {
    unsigned unit = 0;
    while (unit < 6 && bytes >> (10 * (unit + 1))) {
        unit++;
    }
    uint64_t one = UINT64_C(1) << (10 * unit);
    uint64_t whole = bytes / one;
    double rest = (double)(bytes % one) / (double)one;
    int digits = whole < 10 ? 2 : whole < 100 ? 1 : 0;
    double power = digits == 2 ? 100 : digits == 1 ? 10 : 1;
    uint64_t scaled = whole * (uint64_t)power + (uint64_t)llround(rest * power);
    if (digits && scaled >= 1000) { /* 9.996 -> 10.0, 99.96 -> 100 */
        scaled /= 10;
        digits--;
        power /= 10;
    }
    if (digits == 0 && scaled >= 1024 && unit < 6) { /* 1023.7K -> 1.00M, which is not exact */
        snprintf(text, size, "1.00");
        return unit + 1;
    }
    if (digits == 0 || rest == 0) {
        snprintf(text, size, "%llu", (unsigned long long)(scaled / (uint64_t)power));
        return unit;
    }
    uint64_t p = (uint64_t)power;
    int used =
        snprintf(text, size, "%llu.%0*llu", (unsigned long long)(scaled / p), digits, (unsigned long long)(scaled % p));
    if ((double)(scaled % p) / power == rest) { /* exact: no zeros at the end */
        while (used > 0 && text[used - 1] == '0') {
            text[--used] = '\0';
        }
    }
    return unit;
}

const char *sw_show_bytes(uint64_t bytes, char text[16]) {
    unsigned unit = scale_bytes(bytes, text, 15);
    if (unit) {
        size_t length = strlen(text);
        text[length] = unit_letters[unit];
        text[length + 1] = '\0';
    }
    return text;
}

const char *sw_show_bytes_long(uint64_t bytes, char text[24]) {
    char figure[16];
    unsigned unit = scale_bytes(bytes, figure, sizeof figure);
    if (unit) {
        snprintf(text, 24, "%s %ciB", figure, unit_letters[unit]);
    } else {
        snprintf(text, 24, "%s B", figure);
    }
    return text;
}

/* Thousandths of a unit, rounded; exact figures without zeros at the end. */
static const char *show_scaled(uint64_t bytes, unsigned shift, const char *unit, char text[40]) {
    char whole[32];
    uint64_t one = UINT64_C(1) << shift, count = bytes >> shift;
    double rest = (double)(bytes & (one - 1)) / (double)one;
    unsigned digits = count == 0 ? 3 : count < 100 ? 2 : count < 10000 ? 1 : 0;
    unsigned power = digits == 3 ? 1000 : digits == 2 ? 100 : digits == 1 ? 10 : 1;
    unsigned part = (unsigned)llround(rest * power);
    if (bytes && count == 0 && part == 0) {
        snprintf(text, 40, "<0.001 %s", unit);
        return text;
    }
    count += part / power;
    part %= power;
    sw_show_count(count, whole);
    if (part == 0) {
        snprintf(text, 40, "%s %s", whole, unit);
        return text;
    }
    for (; part % 10 == 0; part /= 10) {
        digits--;
    }
    snprintf(text, 40, "%s.%0*u %s", whole, (int)digits, part, unit);
    return text;
}

double sw_units_bytes(enum sw_units units) {
    return units == SW_UNITS_MIB || units == SW_UNITS_FITTED_MIB   ? 0x1p20
           : units == SW_UNITS_KIB || units == SW_UNITS_FITTED_KIB ? 0x1p10
                                                                   : 1;
}

const char *sw_show_bytes_in(enum sw_units units, uint64_t bytes, char text[40]) {
    switch (units) {
    case SW_UNITS_FITTED_MIB:
        return bytes && (double)bytes * 100 < 0x1p20 ? sw_show_bytes_in(SW_UNITS_FITTED_KIB, bytes, text)
                                                     : show_scaled(bytes, 20, "MiB", text);
    case SW_UNITS_FITTED_KIB:
        return bytes && (double)bytes * 100 < 0x1p10 ? sw_show_bytes_in(SW_UNITS_BYTES, bytes, text)
                                                     : show_scaled(bytes, 10, "KiB", text);
    case SW_UNITS_KIB:
        return show_scaled(bytes, 10, "KiB", text);
    case SW_UNITS_MIB:
        return show_scaled(bytes, 20, "MiB", text);
    case SW_UNITS_BYTES:
        snprintf(text, 40, "%s B", SW_COUNT(bytes));
        return text;
    case SW_UNITS_AUTO:
        break;
    }
    return sw_show_bytes_long(bytes, text);
}

enum sw_units sw_units_for(enum sw_units asked, uint64_t most) {
    return asked != SW_UNITS_AUTO          ? asked
           : most >= UINT64_C(1024) * 1024 ? SW_UNITS_FITTED_MIB
           : most >= UINT64_C(4) * 1024    ? SW_UNITS_FITTED_KIB
                                           : SW_UNITS_BYTES;
}

/* What is not nothing never reads as nothing: 0.01% is "<0.1%". */
const char *sw_show_percent(double fraction, bool sign, char text[16]) {
    if (isnan(fraction)) {
        return strcpy(text, "-");
    }
    double percent = fabs(fraction) * 100;
    const char *before = fraction < 0 ? "-" : sign && fraction > 0 ? "+" : "";
    if (percent > 0 && percent < 0.05) {
        snprintf(text, 16, "%s<0.1%%", before);
    } else if (percent < 999.95) {
        snprintf(text, 16, "%s%.1f%%", before, percent);
    } else if (percent < 9999999.5) {
        snprintf(text, 16, "%s%.0f%%", before, percent);
    } else {
        snprintf(text, 16, "%s>9999999%%", before);
    }
    return text;
}
