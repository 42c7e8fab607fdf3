// Walls, ramps, kerbs: a ground look projected along the main axis of the normal, or plain paint.
uniform sampler2DArray detail;
uniform sampler2D noise_map;
in vec3 position;
in vec3 normal;
flat in vec4 tint;
out vec4 colour_out;
void main() {
    vec3 n = normalize(normal), side = abs(n);
    bool leaf = tint.a < -2.5;  // keeps the crown's normal on both sides, and lets sun through
    if (!gl_FrontFacing && !leaf) n = -n;
    vec2 p = side.z > 0.6 ? position.xy : (side.x > side.y ? position.yz : position.xz);
    vec4 dirt = texture(noise_map, p / 9.0);
    vec3 albedo = tint.rgb;
    if (tint.a > -0.5) {
        vec4 c = texture(detail, vec3(p * 0.31, tint.a));
        albedo *= c.rgb * c.rgb;
    }
    if (tint.a < -1.5 && !leaf) {  // stripes, 0.9 m each
        float s = (position.x + position.y) * 0.78, wide = fwidth(s);
        float white = smoothstep(-wide, wide, abs(fract(s * 0.5) - 0.5) * 2.0 - 0.5);
        albedo = mix(albedo, vec3(0.62, 0.61, 0.57), wide > 1.0 ? 0.5 : white);
    }
    albedo *= 0.72 + 0.5 * dirt.y;
    vec4 light = texture(terrain_light, (position.xy - terrain_rect.xy) * terrain_rect.zw);
    float nl = max(dot(n, sun_direction), 0.0);
    if (leaf) nl = max(dot(n, sun_direction) * 0.72 + 0.28, 0.0);
    float sun = nl > 0.0 ? sun_visibility(position, n) * light.r : 0.0;
    float open = under_vehicle(position);
    vec3 result = albedo * (sun_colour * (0.31831 * nl * sun) + sky_ambient(n) * open);
    colour_out = vec4(film(haze(result, position)), 1.0);
}
