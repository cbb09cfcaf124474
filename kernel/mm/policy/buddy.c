/*
 * buddy: whatever the binary buddy allocator delivers, newest block of the smallest order first.
 *
 * The baseline of every post. Delivery is LIFO, as in Linux since 2.2; of a split block the lower
 * half is kept, as since 2.6 (2.2 and 2.4 kept the upper one: the mirror image, no other effect
 * on colours).
 */
#include "mm/policy.h"

REGISTER(policy, buddy) = {
    .name = "buddy",
    .rule = "newest block of the smallest order that has one; colour is not looked at",
    .source = "Linux 2.2 to today, mm/page_alloc.c; Knowlton 1965",
};
