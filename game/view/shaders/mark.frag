// A tire's mark multiplies what is drawn below it, so it needs no light of its own: ribs of the tread, worn by noise.
uniform sampler2D noise_map;
in vec3 position;
in vec4 tint;                    // as `look` in mark.vert
in vec2 line_position;           // across -1..1, m along
out vec4 colour_out;
void main() {
    float wide = fwidth(line_position.x), edge = smoothstep(1.0, 1.0 - max(0.22, wide), abs(line_position.x));
    float ribs = mix(0.72 + 0.28 * cos(line_position.x * 15.7), 0.8, clamp(wide * 3.0, 0.0, 1.0));
    vec4 noise = texture(noise_map, vec2(line_position.x * 0.05, line_position.y * 0.13) + position.xy * 0.07);
    float far = distance(position, eye_position());
    float a = tint.a * edge * ribs * (0.55 + 0.75 * noise.x) * exp(-max(far - 25.0, 0.0) * 0.004);
    colour_out = vec4(mix(vec3(1.0), tint.rgb, clamp(a, 0.0, 1.0)), 1.0);
}
