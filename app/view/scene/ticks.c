/* Round ticks. */
#include "view/scene/scene.h"
#include "base/base.h"

/* The smallest round number not below `least`: 1, 2 or 5 times a power of ten; for bytes a power of
 * two, so that the labels read 64K 128K 192K. Never below 1: steps and bytes are whole. */
static double round_axis_step(double least, bool bytes) {
    double step = 1;
    if (bytes) {
        while (step < least) {
            step *= 2;
        }
        return step;
    }
    for (;; step *= 10) {
        if (step >= least) {
            return step;
        }
        if (2 * step >= least) {
            return 2 * step;
        }
        if (5 * step >= least) {
            return 5 * step;
        }
    }
}

/* The shortest exact form: 1536K and 1.5M are the same, 1.5M is shorter; 1088K is exact where 1.06M
 * is not. Falls back to the rounded form. */
static const char *byte_label(struct sw_scene *scene, uint64_t bytes) {
    char best[16], text[32];
    sw_show_bytes(bytes, best);
    size_t shortest = SIZE_MAX;
    static const char units[] = "\0KMGTPE";
    for (unsigned unit = 0; unit < 7; unit++) {
        uint64_t one = UINT64_C(1) << (10 * unit);
        if (unit && bytes < one) {
            break;
        }
        double value = (double)bytes / (double)one;
        int length = -1;
        for (int digits = 0; digits < 4; digits++) {
            double power = pow(10, digits);
            if (value * power == floor(value * power) && value < 1e6) {
                length = snprintf(text, sizeof text, "%.*f%.1s", digits, value, units + unit);
                break;
            }
        }
        if (length > 0 && length <= 6 && (size_t)length <= shortest) {
            shortest = (size_t)length;
            memcpy(best, text, (size_t)length + 1);
        }
    }
    return sw_scene_printf(scene, "%s", best);
}

/* In one unit: powers of two of KiB and MiB, below that and for plain bytes 1, 2 and 5 times a
 * power of ten, which is what is round there. */
static double unit_step(double least, double unit) {
    double step = unit > 1 && least > unit / 2 ? unit : 0;
    if (step > 0) {
        while (step < least) {
            step *= 2;
        }
        return step;
    }
    double ten = pow(10, floor(log10(least / unit))); /* of the unit, below its half */
    double wanted = least / unit * (1 - 1e-9);
    step = ten >= wanted ? ten : 2 * ten >= wanted ? 2 * ten : 5 * ten >= wanted ? 5 * ten : 10 * ten;
    return fmax(step * unit, 1);
}

static const char *unit_label(struct sw_scene *scene, double at, double step, double unit) {
    if (at == 0) {
        return "0";
    }
    if (unit == 1) {
        return sw_scene_printf(scene, "%s B", SW_COUNT((uint64_t)llround(at)));
    }
    const char *name = unit == 0x1p10 ? "KiB" : "MiB";
    if (step >= unit) {
        return sw_scene_printf(scene, "%s %s", SW_COUNT((uint64_t)llround(at / unit)), name);
    }
    int digits = (int)ceil(-log10(step / unit) - 1e-9);
    return sw_scene_printf(scene, "%.*f %s", digits < 0 ? 0 : digits, at / unit, name);
}

/* Round ticks in the scene's own unit. */
static void unit_ticks(struct sw_scene *scene, struct sw_axis *axis, unsigned most) {
    double unit = sw_units_bytes(scene->units);
    double finest = fmax(fabs(axis->lo), fabs(axis->hi)) * 0x1p-48;
    double step = unit_step(fmax(fmax((axis->hi - axis->lo) / most, finest), 1), unit);
    while (floor(axis->hi / step) - ceil(axis->lo / step) + 1 > most) {
        step = unit_step(step * 1.5, unit);
    }
    double first = ceil(axis->lo / step);
    for (unsigned i = 0; i < most && (first + i) * step <= axis->hi; i++) {
        struct sw_tick tick = {.at = (first + i) * step};
        tick.label = unit_label(scene, tick.at, step, unit);
        scene->failed |= !SW_PUSH(&axis->ticks, tick);
    }
}

static const char *count_label(struct sw_scene *scene, double at) {
    /* Long numbers lose nothing: the step is at least 1, and labels are exact up to 2^53. */
    return scene->joins && at >= 1000 && at < 0x1p63 ? sw_scene_printf(scene, "%s", SW_COUNT((uint64_t)at))
                                                     : sw_scene_printf(scene, "%.0f", at == 0 ? 0.0 : at);
}

void sw_axis_ticks(struct sw_scene *scene, struct sw_axis *axis, unsigned most, bool bytes) {
    double span = axis->hi - axis->lo;
    if (scene->failed || most == 0 || !(span > 0) || !isfinite(span)) {
        return;
    }
    if (bytes && scene->units != SW_UNITS_AUTO && axis->lo >= 0 && axis->hi < 0x1p62) {
        unit_ticks(scene, axis, most);
        return;
    }
    /* Far from 0 not even whole numbers can be told apart. */
    double finest = fmax(fabs(axis->lo), fabs(axis->hi)) * 0x1p-52;
    double step = round_axis_step(fmax(span / most, finest), bytes);
    /* Both ends may carry a tick, which would make one more than asked for. */
    while (floor(axis->hi / step) - ceil(axis->lo / step) + 1 > most) {
        step = round_axis_step(step * 1.5, bytes);
    }
    double first = ceil(axis->lo / step);
    for (unsigned i = 0; i < most; i++) {
        double at = (first + i) * step;
        if (at > axis->hi) {
            break;
        }
        if (at < axis->lo) { /* rounding, far from 0 */
            continue;
        }
        struct sw_tick tick = {.at = at};
        tick.label = bytes && at >= 0 && at < 0x1p63 ? byte_label(scene, (uint64_t)at) : count_label(scene, at);
        scene->failed |= !SW_PUSH(&axis->ticks, tick);
    }
}
