// Tufts are lit like the ground below them, darker at the root, and let some sunlight through; stones are lit normally.
in vec3 position;
in vec3 normal;
in vec4 tint;                    // as in grass.vert
out vec4 colour_out;
void main() {
    vec3 n = normalize(normal);
    vec4 light = texture(terrain_light, (position.xy - terrain_rect.xy) * terrain_rect.zw);
    float nl = max(dot(n, sun_direction), 0.0);
    float sun = sun_visibility(position, n) * light.r;
    float open = under_vehicle(position);
#ifdef STONES
    float deep = smoothstep(-0.6, 0.5, n.z);
    vec3 direct = vec3(nl);
#else
    float deep = mix(0.35, 1.0, tint.a);
    vec3 towards = normalize(position - eye_position());
    float through = pow(max(dot(towards, sun_direction), 0.0), 4.0) * tint.a;
    vec3 direct = vec3(nl) * mix(0.55, 1.15, tint.a) + vec3(1.1, 1.25, 0.55) * (0.8 * through);
#endif
    vec3 result = tint.rgb * (sun_colour * (0.31831 * sun) * direct + sky_ambient(n) * (open * light.b * deep) + lamp_light(position, n) * deep);
    colour_out = vec4(film(haze(result, position)), 1.0);
}
