/* run=list: prints every experiment, factor, level and self-test that this kernel has. */
#ifndef TT_LAB_LIST_H
#define TT_LAB_LIST_H

void list_print(void);

#endif
