/* Numbers that are no counts, as text: what a layout costs, ratios. */
#ifndef SW_BASE_NUMBER_H
#define SW_BASE_NUMBER_H

/* The shortest decimal that reads back the same, of at most 15 digits, so that a sum shows no noise: "161.125",
 * "31117.8". What a layout costs is told so everywhere. "nan" and "inf" too. */
const char *sw_show_number(double, char text[40]);
#define SW_NUMBER(number) sw_show_number((number), (char[40]){0}) /* as long as the block around it */

#endif
