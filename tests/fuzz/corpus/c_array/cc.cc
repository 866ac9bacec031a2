// one
#include <cstdint>
#ifdef X
#define Y 3
#endif
/* two */ alignas(16) const uint8_t g_model[8] __attribute__((aligned(16))) = {
    28, 0, 0, 0, 84, 70, 76, 51,
};
