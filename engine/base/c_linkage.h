/* A header that programs in C++ may include, too, has its declarations between SW_C_BEGIN and SW_C_END. */
#ifndef SW_BASE_C_LINKAGE_H
#define SW_BASE_C_LINKAGE_H

#ifdef __cplusplus
#define SW_C_BEGIN extern "C" {
#define SW_C_END }
#else
#define SW_C_BEGIN
#define SW_C_END
#endif

#endif
