// Ground for software OpenGL, which executes both sides of every branch and pays for each texture read. The four common
// looks have one map of weights; of the others, the one of the nearest cell is taken. Only the strongest look's detail
// texture is read; the others have their mean colours.
uniform sampler2D weights_a;     // grass, soil, gravel, asphalt
uniform sampler2D rare_look;     // number of the look of cells that are none of these, / 255
uniform sampler2DArray detail;   // rgb sqrt(albedo), a height
uniform sampler2D noise_map;     // four independent noises, 0..1
#ifdef ROAD
uniform sampler2D road_map;      // r lateral distance, g distance inside the edge, ba direction of the dash phase
uniform vec4 road_rect;          // of road_map, as terrain_rect
#endif
in vec3 position;
in vec3 normal;
out vec4 colour_out;

const vec3 SOIL = vec3(0.1362, 0.0971, 0.0609), GRAVEL = vec3(0.2900, 0.2546, 0.2110), ASPHALT = vec3(0.0700, 0.0681, 0.0681);
const vec3 CONCRETE = vec3(0.3481, 0.3265, 0.2841), SAND = vec3(0.4694, 0.3515, 0.1884);
const vec3 SNOW = vec3(0.7780, 0.8186, 0.8650), ICE = vec3(0.3396, 0.4553, 0.5264);
const float SHARPER = -0.8;      // mip level: without anisotropic filtering the ground smears along the road

// Share of paint of roads and marks, 0..1; puts the road's asphalt into a and rare. worn: brightness of the asphalt.
float road_paint(vec2 p, float far, vec4 wear, vec4 fine, inout vec4 a, inout float rare, out float worn) {
#ifdef ROAD
    vec2 uv = (p - road_rect.xy) * road_rect.zw;
    vec4 road = texture(road_map, uv);
    if (max(abs(uv.x - 0.5), abs(uv.y - 0.5)) > 0.4999) road.g = -20.0;
    float f = 0.75 * max(fwidth(road.r), 0.002);
    float on_road = clamp((road.g + (fine.w - 0.5) * 0.22) / (0.1 + 2.0 * f) + 0.5, 0.0, 1.0);
    a = vec4(a.xyz * (1.0 - on_road), mix(a.w, 1.0, on_road));
    rare *= 1.0 - on_road;
    float dash = clamp(0.5 + (road.b - 0.5) / (1.2 * f), 0.0, 1.0);  // 3 m of 9 m
    vec2 line = clamp((0.06 + f - abs(vec2(road.r, road.g - 0.28))) / (2.0 * f), 0.0, 1.0);
    float paint = max(line.x * dash, line.y) * min(1.0, 0.1 / f) * clamp((280.0 - far) / 120.0, 0.0, 1.0);
    float lane = abs(abs(road.r) - 0.5 * (road.g + abs(road.r)));
    worn = asphalt_wear(wear, lane, road.g, fine, on_road);
    return paint * step(-1.5, road.g) * (0.62 + 0.38 * clamp(fine.y * 4.0 - 1.2, 0.0, 1.0));
#else
    worn = 2.0 * wear.r;
    return 0.0;
#endif
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

void main() {
    vec2 p = position.xy;
    vec3 ray = position - eye_position(), n = normalize(normal);
    float far = length(ray), rare = 0.0, kind = 0.0;
    vec4 broad = texture(noise_map, p / 173.0), fine = texture(noise_map, TURN * p / 23.0 + 0.3);
#ifdef PLANE
    vec4 light = vec4(1.0, 0.0, 1.0, 0.0), a = vec4(0.0, 0.0, 0.0, 1.0);
#else
    vec2 uv = (p - terrain_rect.xy) * terrain_rect.zw, ragged = uv + (fine.xy - 0.5) * terrain_rect.zw * 1.6;
    vec4 light = texture(terrain_light, uv), a = texture(weights_a, ragged);
    kind = floor(texelFetch(rare_look, ivec2(ragged * vec2(textureSize(rare_look, 0))), 0).r * 255.0 + 0.5);
    if (max(abs(uv.x - 0.5), abs(uv.y - 0.5)) > 0.5) { a = vec4(1, 0, 0, 0); light = vec4(1, 0, 1, 0); }
    rare = 1.0 - (a.x + a.y + a.z + a.w);
    vec4 shape = clamp((a + (fine.z - 0.5) * vec4(0.25, 0.25, 0.25, 0.0)) * 1.8 - 0.4, 0.0, 1.0);
    a = shape * shape * (3.0 - 2.0 * shape) + 0.1 * a;
#endif
    bool hills = far > 300.0;        // woods grow on them, and wear is too small to be seen: one read serves both
    vec4 wear = texture(detail, vec3(p * (hills ? vec2(1.0 / 900.0) : WEAR), WEAR_LAYER), SHARPER);
    float wood = wear.a * 0.6 + broad.w * 0.4;
    if (hills) wear = vec4(0.5);
    float worn, paint = road_paint(p, far, wear, fine, a, rare, worn);
    // soil shows through thin grass; grass takes hold on the ledges of steep gravel
    float bare = bare_soil(broad, fine), steep = clamp((0.95 - n.z) * 9.0, 0.0, 1.0);
    a.y += a.x * bare * 0.75;
    a.x *= 1.0 - 0.6 * bare;
    float ledge = steep * clamp((broad.z + fine.y) * 3.1 - 2.9, 0.0, 0.9);
    a.x += a.z * ledge;
    a.z *= 1.0 - ledge;

    float layer = 0.0, tile = 1.0 / 3.1, most = a.x;
    vec3 mean = GRASS_MEAN, other = CONCRETE;
    float other_tile = 1.0 / 4.3;
    if (kind > 4.5) { other = SAND; other_tile = 1.0 / 3.3; }
    if (kind > 5.5) { other = SNOW; other_tile = 1.0 / 5.1; }
    if (kind > 6.5) { other = ICE; other_tile = 1.0 / 7.0; }
    if (a.y > most) { most = a.y; layer = 1.0; tile = 1.0 / 3.7; mean = SOIL; }
    if (a.z > most) { most = a.z; layer = 2.0; tile = 1.0 / 1.5; mean = GRAVEL; }
    if (a.w > most) { most = a.w; layer = 3.0; tile = 1.0 / 2.1; mean = ASPHALT; }
    if (rare > most) { layer = kind; tile = other_tile; mean = other; }
    vec4 c = texture(detail, vec3(p * tile, layer), SHARPER);

    vec3 albedo = GRASS_MEAN * a.x * grass_tint(broad, fine, c.a) + (SOIL * a.y + other * rare) * (0.80 + 0.40 * fine.y);
    albedo += GRAVEL * (a.z * (0.78 + 0.44 * fine.y)) * mix(vec3(1.0), vec3(0.42, 0.39, 0.35) * (0.55 + 0.9 * broad.w), steep);
    albedo += ASPHALT * vec3(1.26, 1.28, 1.30) * (a.w * (0.82 + 0.36 * broad.z) * (0.88 + 0.24 * fine.x) * worn);
    albedo *= c.rgb * c.rgb / (mean * max(a.x + a.y + a.z + a.w + rare, 0.02));
    albedo = mix(plane_lines(albedo, p), vec3(0.60, 0.59, 0.56), paint);
    float forest = clamp((far - 300.0) / 400.0, 0.0, 1.0) * clamp((wood + (fine.z - 0.5) * 0.10 - 0.50) / 0.06, 0.0, 1.0);
    albedo = mix(albedo, vec3(0.024, 0.034, 0.018) * (0.6 + 0.8 * fine.y), forest * a.x * 0.9);
    float wet = light.g;
    albedo *= 1.0 - 0.45 * wet;

    float open = under_vehicle(position), nl = max(dot(n, sun_direction), 0.0);
    float sun = sun_visibility(position, n) * light.r * nl;
    vec3 result = albedo * (sun_colour * (0.31831 * sun) + sky_ambient(n) * (open * light.b * (0.65 + 0.5 * c.a))
                            + lamp_light(position, n));
    float shiny = max(wet, kind > 6.5 ? rare * 0.8 : 0.0) * open, graze = 1.0 + dot(n, ray) / far;
    graze *= graze;
    result += (shiny * (0.03 + 0.97 * graze * graze)) * 0.8 * haze_light(reflect(ray / far, n));
    colour_out = vec4(film(haze(result, position)), 1.0);
}
