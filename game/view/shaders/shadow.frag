// Casters of shadows: only depth is written.
out vec4 unused;
void main() { unused = vec4(1.0); }
