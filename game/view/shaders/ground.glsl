// Functions of the ground's full materials: maps, weights of the eight looks, road paint, wear.
uniform sampler2D weights_a;     // grass, soil, gravel, asphalt
uniform sampler2D weights_b;     // concrete, sand, snow, ice
uniform sampler2DArray detail;   // rgb sqrt(albedo), a height
uniform sampler2D noise_map;     // four independent noises, 0..1
#ifdef ROAD
uniform sampler2D road_map;      // r lateral distance, g distance inside the edge, ba direction of the dash phase
uniform vec4 road_rect;          // of road_map, as terrain_rect
#endif
in vec3 position;
in vec3 normal;
out vec4 colour_out;


// 1 / period in m of each look's detail texture
const float TILE[8] = float[8](1.0 / 3.1, 1.0 / 3.7, 1.0 / 1.5, 1.0 / 2.1, 1.0 / 4.3, 1.0 / 3.3, 1.0 / 5.1, 1.0 / 7.0);

// Derivatives of p per pixel, for the mip level. Without anisotropic filtering the ground would smear along the road, so
// they are shrunk until the level lies between those of both axes.
void sharper_steps(vec2 p, out vec2 dx, out vec2 dy) {
    dx = dFdx(p); dy = dFdy(p);
#ifndef ANISOTROPIC
    float major = max(dot(dx, dx), dot(dy, dy)), minor = min(dot(dx, dx), dot(dy, dy));
    float shrink = clamp(sqrt(sqrt(minor / max(major, 1e-12))), 0.35, 1.0);
    dx *= shrink; dy *= shrink;
#endif
}

// Weights of (grass, soil, gravel, asphalt) and (concrete, sand, snow, ice); light as in terrain_light.
void read_weights(vec2 p, vec4 fine, out vec4 a, out vec4 b, out vec4 light) {
#ifdef PLANE
    light = vec4(1.0, 0.0, 1.0, 0.0); a = vec4(0.0, 0.0, 0.0, 1.0); b = vec4(0.0);
#else
    vec2 uv = (p - terrain_rect.xy) * terrain_rect.zw;
    light = texture(terrain_light, uv);
    vec2 ragged = (fine.xy - 0.5) * terrain_rect.zw * 1.6;
    vec4 natural = texture(weights_a, uv + ragged), other = texture(weights_b, uv + ragged), paved = natural;
#ifdef HIGH
    paved = texture(weights_a, uv);
    other.x = texture(weights_b, uv).x;
#endif
    a = smoothstep(0.22, 0.78, vec4(natural.xyz + (fine.z - 0.5) * 0.25, 0.0));
    b = smoothstep(0.22, 0.78, other);
    float sharp = 0.06 + 0.5 * fwidth(paved.w);
    a.w = smoothstep(0.5 - sharp, 0.5 + sharp, paved.w + (fine.w - 0.5) * 0.10);
    b.x = smoothstep(0.5 - sharp, 0.5 + sharp, other.x);
    float thin = max(0.3 - dot(a, vec4(1.0)) - dot(b, vec4(1.0)), 0.0);  // between thresholds: the plain weights
    a += natural * thin;
    b += other * thin;
    if (max(abs(uv.x - 0.5), abs(uv.y - 0.5)) > 0.5) { a = vec4(1, 0, 0, 0); b = vec4(0); light = vec4(1, 0, 1, 0); }
#endif
}

// Puts the road's asphalt into the weights a, b; returns (share of paint, brightness of the asphalt, share of road).
vec3 read_road(vec2 p, float far, vec4 wear, vec4 fine, inout vec4 a, inout vec4 b) {
#ifdef ROAD
    vec2 road_uv = (p - road_rect.xy) * road_rect.zw;
    vec4 road = texture(road_map, road_uv);
    if (max(abs(road_uv.x - 0.5), abs(road_uv.y - 0.5)) > 0.4999) road.g = -20.0;
    float f = 0.75 * max(fwidth(road.r), 0.002);
    if (road.g < -1.5) return vec3(0.0, 2.0 * wear.r, 0.0);
    float edge = road.g + (fine.w - 0.5) * 0.22;
    float on_road = smoothstep(-0.05 - f, 0.05 + f, edge);
    float kept = 1.0 - on_road;
    a = vec4(a.xyz * kept, mix(a.w, 1.0, on_road));
    b *= kept;
    float along = atan(road.a, road.b) * 1.43239;  // m from the middle of a dash, 9 m apart
    float dash = smoothstep(1.5 + f, 1.5 - f, abs(along));
    float w = 0.06, strength = min(1.0, 2.0 * w / (1.2 * f));
    float centre = smoothstep(w + f, w - f, abs(road.r)) * dash;
    float side = smoothstep(w + f, w - f, abs(road.g - 0.28));
    float paint = max(centre, side) * strength * (1.0 - smoothstep(160.0, 280.0, far));
    paint *= 0.62 + 0.38 * smoothstep(0.30, 0.55, fine.y);
    float lane = abs(abs(road.r) - 0.5 * (road.g + abs(road.r)));
    return vec3(paint, asphalt_wear(wear, lane, road.g, fine, on_road), on_road);
#else
    return vec3(0.0, 2.0 * wear.r, 0.0);
#endif
}

// Soil shows through thin grass; grass takes hold on the ledges of steep gravel.
void grow(vec3 n, vec4 broad, vec4 fine, inout vec4 a, out float steep) {
    float bare = bare_soil(broad, fine);
    a.y += a.x * bare * 0.75;
    a.x *= 1.0 - 0.6 * bare;
    steep = smoothstep(0.05, 0.16, 1.0 - n.z);
    float ledge = steep * smoothstep(0.46, 0.62, broad.z * 0.5 + fine.y * 0.5) * 0.9;
    a.x += a.z * ledge;
    a.z *= 1.0 - ledge;
}

// Factor on the asphalt's texture; arguments as of grass_tint.
vec3 asphalt_tint(vec4 broad, vec4 fine) {
    return (0.82 + 0.36 * broad.z) * (0.88 + 0.24 * fine.x) * vec3(1.26, 1.28, 1.30);
}

// Factor for cracks near the eye, along lines of equal noise, and for seams between lanes of paving off marked roads.
float asphalt_cracks(vec2 p, float far, vec4 broad, vec4 fine, float on_road) {
    float near = 1.0 - smoothstep(25.0, 70.0, far);
    vec4 middle = texture(noise_map, TURN * p / 11.0 + 0.7);
    float worn = smoothstep(0.48, 0.62, 0.5 * broad.x + 0.5 * fine.w);
    float crack = smoothstep(0.016, 0.002, abs(middle.x - 0.5)) * worn * near;
    float lane = p.y / 4.2 + (fine.y - 0.5) * 0.012, wide = fwidth(p.y) + 1e-4;
    float seam = smoothstep(-wide, wide, abs(fract(lane) - 0.5) * 4.2 - 2.1 + 0.012) * min(1.0, 0.024 / wide);
    return (1.0 - 0.3 * crack) * (1.0 - 0.45 * seam * (1.0 - on_road));
}

// Factor on the gravel's texture, which is darker on steep ground; arguments as of grass_tint.
vec3 gravel_tint(vec4 broad, vec4 fine, float steep) {
    return (0.78 + 0.44 * fine.y) * mix(vec3(1.0), vec3(0.42, 0.39, 0.35) * (0.55 + 0.9 * broad.w), steep);
}

// Lines every 2 m and 10 m on the endless plane.
vec3 plane_lines(vec3 albedo, vec2 p) {
#ifdef PLANE
    vec2 line = abs(fract(p / 10.0 + 0.5) - 0.5) * 10.0, small = abs(fract(p / 2.0 + 0.5) - 0.5) * 2.0;
    vec2 wide = fwidth(p) + 1e-4;
    vec2 big = smoothstep(0.06 + wide, 0.06 - wide * 0.2, line) * min(vec2(1.0), 0.12 / wide);
    vec2 thin = smoothstep(0.02 + wide, 0.02 - wide * 0.2, small) * min(vec2(1.0), 0.04 / wide);
    albedo = mix(albedo * 1.15, vec3(0.55, 0.56, 0.55), 0.75 * max(big.x, big.y));
    albedo = mix(albedo, vec3(0.34), 0.5 * max(thin.x, thin.y));
#endif
    return albedo;
}
