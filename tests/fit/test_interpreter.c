#include "fit/interpreter.h"
#include "fit/networks.h"
#include "share.h"
#include "unit/unit.h"

#include "formats/format.h"
int main(void) {
 long macs=0, ops=0, bad=0; (void)macs;
 int hist[256]={0};
    for (uint64_t seed = 0; seed < cases(4000); seed++) {
        struct written *w = malloc(sizeof *w);
        draw_network(w, seed); ops += w->operation_count;
        for(int i=0;i<w->operation_count;i++) hist[w->operations[i].code]++;
        struct bytes b; write_model(w, &b);
        char why[WHY];
        struct run run = {.seed = seed};
        if (!run_file(b.items, b.count, &run, why)) { printf("%d %s\n", (int)seed, why); bad++; }
        else free(run.outputs);
        struct sw_input in = {.name="file", .bytes=(char*)b.items,.length=b.count}; struct sw_error e={0};
        struct sw_problem *p = sw_load_input(&in,NULL,&e);
        if(!p) {printf("%d: %s\n", (int)seed, e.message); bad++;}
        else {
         if (seed<3) {for (uint32_t i=0;i<sw_problem_operator_count(p);i++) printf("%s %s %d; ", sw_problem_operator(p,i)->name,sw_problem_operator(p,i)->kind,sw_problem_operator(p,i)->window!=NULL); puts("");}
         sw_problem_unref(p);}
        written_done(w); free(w); free(b.items);
    }
    printf("%ld ops, %ld bad\n", ops, bad);
    for(int i=0;i<256;i++) if(hist[i]) printf("%s %d, ", operator_name(i), hist[i]);
 puts("");
    return 0;
}
