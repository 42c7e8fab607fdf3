// Buildings and equipment of a site: one finish for each face, weathered by rain and dirt.
uniform sampler2D noise_map;
in vec3 position;
in vec3 normal;
in vec2 along;
flat in vec4 tint;
out vec4 colour_out;
const int SHEET = 0, RENDER = 1, GLASS = 2, STEEL = 3, FELT = 4, BOARD = 5, MESH = 6, RUBBER = 7, LAMP = 8;
const float RIB = 0.25, RIB_DEEP = 0.55, PANEL = 6.0;   // m of a rib, slope of its flanks, m of a sheet's length
const float TREAD = 0.21, LINK = 0.07, WIRE = 0.0035;   // m: a tire in a stack, a fence's mesh and half its wire

// Trapezoid ribs: x slope of the face across them, y how deep in a groove. They fade where they are narrower than pixels.
vec2 ribs(float u) {
    float wide = fwidth(u) / RIB, at = abs(fract(u / RIB) - 0.5) * 2.0, fade = clamp(1.4 - 2.2 * wide, 0.0, 1.0);
    float flank = smoothstep(0.32, 0.40, at) * smoothstep(0.70, 0.62, at);
    float side = fract(u / RIB) < 0.5 ? -1.0 : 1.0;
    return vec2(side * flank * RIB_DEEP, smoothstep(0.40, 0.62, at)) * fade;
}

void main() {
    int finish = int(tint.a + 0.5);
    vec3 n = normalize(normal), albedo = tint.rgb, v = normalize(eye_position() - position);
    if (!gl_FrontFacing) n = -n;
    float cover = 1.0, upright = 1.0 - step(0.6, n.z), roughness = 0.8, metal = 0.0;
    vec4 broad = texture(noise_map, along / 7.0 + position.xy / 90.0);
    float streak = texture(noise_map, vec2(along.x / 3.1, along.y / 53.0)).x * 0.6 + texture(noise_map, vec2(along.x / 0.9, along.y / 31.0)).z * 0.4;
    float foot = upright * exp(-max(along.y, 0.0) * 2.2);
    if (finish == SHEET) {
        vec2 rib = ribs(along.x);
        n = normalize(n + cross(vec3(0.0, 0.0, 1.0), n) * rib.x * upright);
        float joint = abs(fract(along.y / PANEL + 0.37) - 0.5) * PANEL, wide = fwidth(along.y) + 0.012;
        albedo *= (1.0 - 0.22 * rib.y) * (1.0 - 0.35 * clamp(1.0 - joint / wide, 0.0, 1.0) * min(1.0, 0.02 / wide) * upright);
        roughness = 0.5;
    } else if (finish == FELT) {
        albedo *= 0.75 + 0.5 * texture(noise_map, along / 2.3).w;
    } else if (finish == GLASS) {
        roughness = 0.05;
    } else if (finish == STEEL) {
        albedo *= 0.82 + 0.36 * texture(noise_map, along * vec2(0.9, 0.31)).z;
        metal = 0.55;
        roughness = 0.48;
    } else if (finish == RUBBER) {
        float at = abs(fract(along.y / TREAD) - 0.5) * 2.0, wide = fwidth(along.y) / TREAD;
        albedo *= 1.0 - 0.75 * smoothstep(0.68, 0.98, at) * clamp(1.3 - 2.0 * wide, 0.25, 1.0);
    } else if (finish == MESH) {
        vec2 turned = vec2(along.x + along.y, along.x - along.y) * 0.70711;
        vec2 wide = fwidth(turned) * 0.75 + 1e-4, away = (0.5 - abs(fract(turned / LINK) - 0.5)) * LINK;
        vec2 wire = clamp((WIRE + wide - away) / (2.0 * wide), 0.0, 1.0) * min(vec2(1.0), WIRE / wide);
        cover = clamp(max(max(wire.x, wire.y), 0.30), 0.0, 1.0);  // more than wires cover, or it would not be seen at all
    }
    if (finish != GLASS && finish != LAMP && finish != MESH) {
        albedo *= (0.86 + 0.26 * broad.y) * (1.0 - 0.26 * smoothstep(0.48, 0.68, streak) * upright * (finish == BOARD ? 0.3 : 1.0));
        albedo = mix(albedo, vec3(0.105, 0.088, 0.065), 0.55 * foot * (0.4 + 0.9 * broad.z) * (finish == BOARD ? 0.0 : 1.0));
    }
    vec4 light = texture(terrain_light, (position.xy - terrain_rect.xy) * terrain_rect.zw);
    float nl = max(dot(n, sun_direction), 0.0), nv = max(dot(n, v), 0.02);
    float sun = nl > 0.0 ? sun_visibility(position, n) * light.r : 0.0;
    float open = under_vehicle(position) * (0.72 + 0.28 * smoothstep(0.0, 1.4, along.y * upright + 2.0 * (1.0 - upright)));
    if (n.z < -0.5) open *= 0.55;
    vec3 result = albedo * (1.0 - metal) * (sun_colour * (0.31831 * nl * sun) + sky_ambient(n) * open + lamp_light(position, n));
    vec3 f0 = mix(vec3(0.04), albedo, metal);
    vec3 mirror = reflection(reflect(-v, n), roughness);
    float gloss = finish == GLASS ? 1.0 : finish == STEEL ? 0.8 : finish == SHEET ? 0.5 : 0.15;
    result += gloss * (environment_brdf(f0, roughness, nv) * mirror * open + f0 * sun_colour * ggx(n, v, sun_direction, max(roughness, 0.12)) * sun);
#ifdef BEAMS                     // dusk: lamps and some windows are lit
    float lit_window = step(0.55, fract(sin(dot(floor(position.xy / 7.0), vec2(12.99, 78.23))) * 43758.5));
    if (finish == LAMP) result += vec3(2.6, 2.2, 1.6) / exposure;
    if (finish == GLASS) result += lit_window * vec3(0.40, 0.29, 0.15) / exposure;
#endif
    colour_out = vec4(film(haze(result, position)), cover);
}
