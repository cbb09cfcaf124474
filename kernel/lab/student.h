/*
 * Student's t distribution.
 */
#ifndef TT_LAB_STUDENT_H
#define TT_LAB_STUDENT_H

/* P(|T| > t) of Student's t with df > 0 degrees of freedom, t >= 0. */
double student_two_tails(double t, double df);

#endif
