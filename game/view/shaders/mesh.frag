// Walls, ramps, kerbs: a ground look projected along the main axis of the normal, or plain paint.
uniform sampler2DArray detail;
uniform sampler2D noise_map;     // four independent noises, 0..1
in vec3 position;
in vec3 normal;
#ifdef LEAVES
uniform sampler2D leaf_map;      // r shade, a cover, 0.5 at the edge of a leaf
in vec4 tint;                    // as `look` in mesh.vert
in vec3 card;                    // as in mesh.vert
#else
flat in vec4 tint;               // as `look` in mesh.vert
#endif
#ifdef FADE
in float share;                  // of a pixel that it covers
#endif
out vec4 colour_out;
const float CONCRETE = 4.0;      // its number among the looks
const float GALVANISED = 0.48;   // roughness
const float CEILING = 0.4;       // share of the ambient light on faces that look down, which shade the ground below them

#ifdef HIGH
// Cast concrete: joints of its formwork, the holes of its ties, and the streaks that rain leaves on a wall.
float formwork(vec2 p, float upright) {
    const vec2 BOARD = vec2(2.4, 1.2);   // m
    vec2 wide = fwidth(p) + 1e-4, cell = abs(fract(p / BOARD) - 0.5) * BOARD;
    vec2 joint = smoothstep(0.010 + wide, vec2(0.0), 0.5 * BOARD - cell) * min(vec2(1.0), 0.014 / wide);
    vec2 tie = fract(p / BOARD * vec2(2.0, 2.0)) - 0.5;
    float hole = smoothstep(0.026 + wide.x, 0.018, length(tie * BOARD * 0.5)) * min(1.0, 0.02 / wide.x);
    float board = fract(sin(dot(floor(p / BOARD), vec2(12.99, 78.23))) * 43758.5);
    float streak = texture(noise_map, vec2(p.x / 5.0, p.y / 61.0)).x * 0.6 + texture(noise_map, vec2(p.x / 1.7, p.y / 37.0)).z * 0.4;
    float wet = smoothstep(0.46, 0.66, streak) * upright;
    return (1.0 - 0.45 * max(max(joint.x, joint.y), hole * upright)) * (0.94 + 0.10 * board) * (1.0 - 0.27 * wet);
}
#endif

void main() {
    float cover = 1.0, leaf_shade = 1.0;
#ifdef LEAVES
    vec4 mask = texture(leaf_map, card.xy);
    float wide = max(fwidth(mask.a), 0.12);  // far away the mask fades to a mean, which has to cover
    cover = card.z > 0.5 ? clamp((mask.a - 0.47) / wide + 0.5, 0.0, 1.0) : 1.0;
    if (cover < CUT) discard;
    leaf_shade = card.z > 0.5 ? 0.15 + 1.25 * mask.r : 1.0;
#endif
    vec3 n = normalize(normal), side = abs(n);
    bool leaf = tint.a < -2.5;  // keeps the crown's normal on both sides, and lets sun through
    if (!gl_FrontFacing && !leaf) n = -n;
    vec2 p = side.z > 0.6 ? position.xy : (side.x > side.y ? position.yz : position.xz);
    vec4 dirt = texture(noise_map, p / 9.0);
    vec3 albedo = tint.rgb * leaf_shade;
    if (tint.a > -0.5) {
        vec4 c = texture(detail, vec3(p * 0.31, tint.a));
        albedo *= c.rgb * c.rgb;
#ifdef HIGH
        if (abs(tint.a - CONCRETE) < 0.5) albedo *= formwork(p, step(side.z, 0.6));
#endif
    }
    if (tint.a < -1.5 && !leaf) {  // stripes, 0.9 m each
        float s = (position.x + position.y) * 0.78, wide = fwidth(s);
        float white = smoothstep(-wide, wide, abs(fract(s * 0.5) - 0.5) * 2.0 - 0.5);
        albedo = mix(albedo, vec3(0.62, 0.61, 0.57), wide > 1.0 ? 0.5 : white);
    }
#if defined(LEAVES) && defined(HIGH)
    if (card.z < 0.5) {  // bark is cracked along the trunk
        float crack = texture(noise_map, vec2(p.x * 1.7, p.y * 0.21)).x * 0.6 + texture(noise_map, vec2(p.x * 4.1, p.y * 0.9)).z * 0.4;
        albedo *= 0.45 + 2.3 * smoothstep(0.34, 0.66, crack);
    }
#endif
    albedo *= 0.72 + 0.5 * dirt.y;
    vec4 light = texture(terrain_light, (position.xy - terrain_rect.xy) * terrain_rect.zw);
    float nl = max(dot(n, sun_direction), 0.0);
    if (leaf) nl = max(dot(n, sun_direction) * 0.72 + 0.28, 0.0);
    float sun = nl > 0.0 ? sun_visibility(position, n) * light.r : 0.0;
#ifdef LEAVES
    sun = mix(sun, light.r, 0.15);   // leaves let light through
#endif
    float open = under_vehicle(position);
#if !defined(LEAVES) && !defined(STEEL)
    open *= mix(1.0, CEILING, smoothstep(-0.2, -0.8, n.z));
#endif
#ifdef STEEL                     // galvanised: half of the reflected light is a blurred image of the sky
    albedo *= 0.80 + 0.40 * texture(noise_map, p * vec2(0.37, 1.9)).z;
    vec3 v = normalize(eye_position() - position);
    vec3 sky = reflection(reflect(-v, n), GALVANISED);
    sky = mix(sky, vec3(dot(sky, vec3(0.2126, 0.7152, 0.0722))), 0.4);  // spangle scatters it
    vec3 sheen = environment_brdf(albedo, GALVANISED, max(dot(n, v), 0.02)) * sky;
    sheen = 0.55 * (sheen * open + albedo * sun_colour * ggx(n, v, sun_direction, GALVANISED) * sun);
    vec3 result = 0.7 * albedo * (sun_colour * (0.31831 * nl * sun) + sky_ambient(n) * open + lamp_light(position, n)) + sheen;
#else
    vec3 result = albedo * (sun_colour * (0.31831 * nl * sun) + sky_ambient(n) * open + lamp_light(position, n));
#endif
#ifdef FADE
    cover = share;
#endif
    colour_out = vec4(film(haze(result, position)), cover);
}
