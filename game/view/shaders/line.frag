// A line on the ground, soft at its sides and fading towards its start.
uniform vec4 line_colour;        // display rgb, strength
in vec2 line_position;           // across -1..1, share of the length 0..1
out vec4 colour_out;
void main() {
    float side = 1.0 - smoothstep(0.6, 1.0, abs(line_position.x));
    colour_out = vec4(line_colour.rgb, line_colour.a * side * mix(0.35, 1.0, line_position.y));
}
