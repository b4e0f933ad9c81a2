#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) buffer R { int r[][16]; };
int early(int x) {
    for (int i = 0; i < 10; i++) {
        switch (x & 3) {
            case 0: if (i == 3) return 100 + x; break;
            case 1: x += 2; continue;
            case 2: for (int k = 0; k < 5; k++) if (k * i > x) return k * 1000 + i;
            default: x--;
        }
        if (x < -3) return x;
    }
    return x * 7;
}
int factorial(int n) { int p = 1; while (n > 1) { p *= n; n--; } return p; }
void both(inout int a, out int b, in int c) { if (c > 7) { b = a; a = c; return; } b = c; a += 1; }
bool odd(int x) { return (x & 1) != 0; }
void main() {
    int x = int(gl_LocalInvocationID.x);
    r[0][x] = early(x) + early(x + 1);
    r[1][x] = factorial(x & 7);
    int b, a = x * 2; both(a, b, x); r[2][x] = a * 100 + b;
    int t = 0;
    for (int i = 0; i < x; i++) { for (int j = 0; j < 4; j++) { if (j == i) continue; if (i * j > 6) break; t += i + j; } if (t > 50) break; }
    r[3][x] = t;
    int k = 0; do { k++; if (odd(k)) continue; t += k; } while (k < x); r[4][x] = t;
    if (odd(x) && x > 3 || x == 0) r[5][x] = 1; else if (x < 10) r[5][x] = 2; else r[5][x] = 3;
    int s = 0;
    switch (x) { default: s = 5; case 1: s += 1; break; case 2: case 3: s = 9; case 4: s += 20; break; case 8: { for (;;) { s++; if (s > 6) break; } } break; }
    r[6][x] = s;
    for (;;) { if (x > 11) { r[7][x] = -1; return; } if (s++ > 12) break; }
    r[7][x] = s;
    int v[4] = int[](x, x + 1, x + 2, x + 3); v[x & 3] = 50; int u = 0; for (int i = 0; i < 4; i++) u = u * 3 + v[i];
    r[8][x] = u;
    barrier();
    r[9][x] = r[8][15 - x] + (x > 2 ? factorial(3) : early(x));
}
