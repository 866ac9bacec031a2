/* What logs of BFC allocators (best fit with coalescing: TensorFlow's, and ONNX Runtime's arenas) have in common: several
 * allocators print into one log, of which one is read, and they get regions of memory at addresses that they tell. */
#ifndef SW_FORMATS_BFC_LOG_H
#define SW_FORMATS_BFC_LOG_H

#include "formats/requests/request_list.h"
#include "formats/text/scan.h"

enum { SW_BFC_MOST = 64 }; /* allocators that are told apart; those beyond count as one */
struct sw_bfc_log_arena {
    const char *name; /* of the log's bytes */
    size_t length;
    uint64_t requests;
};
struct sw_bfc_log_region {
    uint64_t from, to;
    bool live;
};
struct sw_bfc_log { /* zero it to start with */
    struct sw_scan scan;
    struct sw_request_list list;
    SW_ARRAY(struct sw_bfc_log_arena) arenas;
    uint32_t chosen;    /* that which has the most requests */
    bool unplaced;      /* a request or a region has no address */
    uint64_t strange;   /* lines that are cut, or mixed with others */
    SW_ARRAY(struct sw_bfc_log_region) regions;
    uint64_t got;       /* bytes of those that are live */
    uint64_t total;     /* what all regions come to with the next one, as the log says; SW_NO_ADDRESS: it has not said it */
    uint64_t about;     /* it is exact to so many bytes */
    uint64_t elsewhere, most_elsewhere; /* so many bytes are in regions that the log does not show, or were */
    uint64_t strays;    /* bytes of requests that lie in such regions */
    uint64_t guessed_regions; /* given back, and one of several of that size */
    struct sw_error *error;
};
/* The number of the allocator of that name, which is new if it was not met before. SW_NONE: no memory. */
uint32_t sw_bfc_log_arena(struct sw_bfc_log *, const char *name, size_t length);
/* Choose one, after all requests have been counted. */
void sw_bfc_choose(struct sw_bfc_log *);

/* An address in hexadecimal, with 0x or without; 0 for what stands for none: 0, (nil), (null). */
bool sw_bfc_address(struct sw_scan *, uint64_t *);
/* A number of bytes. */
bool sw_bfc_bytes(struct sw_scan *, uint64_t *);
/* The rest of the line up to the character, or to a blank. */
size_t sw_bfc_name(struct sw_scan *, char end, const char **name);

/* Something was asked for, and lies at the address (SW_NO_ADDRESS: not told). `id` NULL: it is called after its address, and
 * what lay there before is freed. Its number, or SW_NONE, with an error. */
uint32_t sw_bfc_alloc(struct sw_bfc_log *, const char *id, uint64_t size, uint64_t address, const char *origin);
bool sw_bfc_region(struct sw_bfc_log *, uint64_t from, uint64_t to);
/* A region was given back: that which begins at the address, or one of that size. What still lives in it was freed before,
 * which the log does not tell. False: an error is set. */
bool sw_bfc_region_gone(struct sw_bfc_log *, uint64_t from);
bool sw_bfc_region_gone_of_size(struct sw_bfc_log *, uint64_t size);

/* All into the builder. Where each region and each request has its address the requests are recorded ones, and the regions
 * lie one behind the other in the order of their addresses. */
bool sw_bfc_build(struct sw_bfc_log *, struct sw_builder *);
void sw_bfc_done(struct sw_bfc_log *);

#endif
