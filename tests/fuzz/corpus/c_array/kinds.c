static const int8_t a[] = {-1, -128, 0177, 0b101, 1u, 0x7fUL};
static const char *s = "[] = {";
int f(int a[]) {
    return a[0];
}
const unsigned char b[2][2] = {{1, 2}, {3, 4}};
