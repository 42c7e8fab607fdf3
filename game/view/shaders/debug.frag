// A line of the debug drawing, soft at its sides.
in float across;
in vec4 colour;
out vec4 colour_out;
void main() {
    colour_out = vec4(colour.rgb, colour.a * (1.0 - smoothstep(0.5, 1.0, abs(across))));
}
