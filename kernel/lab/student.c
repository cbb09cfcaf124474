/*
 * Student's t by the regularised incomplete beta function: P(|T| > t) = I_x(df/2, 1/2) with
 * x = df / (df + t^2) (Abramowitz and Stegun 26.5.27), and I_x by its continued fraction (26.5.8)
 * evaluated from the front (Lentz's method).
 */
#include "lab/student.h"

#include <float.h>
#include <math.h>

/* The fraction converges in about sqrt(max(a, b)) steps: df = 10^8 stays below this. */
#define FRACTION_STEPS 100000

/* Lentz: a denominator that becomes zero is replaced by something very small. */
static double not_zero(double v)
{
    return fabs(v) < 1e-300 ? 1e-300 : v;
}

/* The continued fraction of I_x(a, b), without its factor; converges for x < (a + 1) / (a + b + 2).
 */
static double fraction(double a, double b, double x)
{
    double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), value = d;

    for (int m = 1; m < FRACTION_STEPS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / not_zero(1 + even * d);
        c = not_zero(1 + even / c);
        value *= d * c;
        d = 1 / not_zero(1 + odd * d);
        c = not_zero(1 + odd / c);
        value *= d * c;
        if (fabs(d * c - 1) < 4 * DBL_EPSILON)
            break;
    }
    return value;
}

/* I_x(a, b) given x and 1 - x, which the caller knows without cancellation. */
static double incomplete_beta(double a, double b, double x, double one_minus_x)
{
    if (x <= 0)
        return 0;
    if (one_minus_x <= 0)
        return 1;
    double factor = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(one_minus_x));
    if (x < (a + 1) / (a + b + 2))
        return factor * fraction(a, b, x) / a;
    return 1 - factor * fraction(b, a, one_minus_x) / b;
}

double student_two_tails(double t, double df)
{
    double square = t * t;
    return incomplete_beta(df / 2, 0.5, df / (df + square), square / (df + square));
}
