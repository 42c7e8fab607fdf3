// A ghost vehicle: a translucent shell of its colour, whiter and more opaque at the edges; `strength` is its opacity.
uniform vec4 ghost_colour[1];    // display rgb, strength
in vec3 position;
in vec3 normal;
flat in int material;            // 1 is glass
in float openness;
out vec4 colour_out;
void main() {
    vec3 v = normalize(eye_position() - position), n = normalize(normal);
    float facing = abs(dot(n, v));
    float edge = pow(1.0 - facing, 2.0);
    float shade = 0.55 + 0.45 * clamp(0.5 + 0.5 * n.z, 0.0, 1.0);
    vec3 c = mix(ghost_colour[0].rgb * shade, vec3(1.0), 0.55 * edge);
    colour_out = vec4(c, ghost_colour[0].a * mix(0.55, 1.0, edge) * (material == 1 ? 0.5 : 1.0));
}
