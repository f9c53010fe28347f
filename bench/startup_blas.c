/* The minimum for a program with OpenBLAS: it loads the library, multiplies once, and prints. */
#include <cblas.h>
#include <stdio.h>

int main(void) {
    const float a[4] = {1, 2, 3, 4}, b[4] = {0, 1, 1, 0};
    float c[4];
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2);
    return printf("%g %g %g %g\n", c[0], c[1], c[2], c[3]) < 0;
}
