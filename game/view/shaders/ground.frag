// Ground: eight looks blended by per-cell weights, road paint from a distance map, hills from terrain_light.
uniform sampler2D weights_a;     // grass, soil, gravel, asphalt
uniform sampler2D weights_b;     // concrete, sand, snow, ice
uniform sampler2DArray detail;   // rgb sqrt(albedo), a height
uniform sampler2D noise_map;
#ifdef ROAD
uniform sampler2D road_map;      // r lateral distance, g distance inside the edge, ba direction of the dash phase
uniform vec4 road_rect;
#endif
in vec3 position;
in vec3 normal;
out vec4 colour_out;

const float TILE[8] = float[8](1.0 / 3.1, 1.0 / 3.7, 1.0 / 2.3, 1.0 / 2.1, 1.0 / 4.3, 1.0 / 3.3, 1.0 / 5.1, 1.0 / 7.0);
const mat2 TURN = mat2(0.829, 0.559, -0.559, 0.829);

vec4 look(int layer, vec2 p, vec2 dx, vec2 dy) {
    float s = TILE[layer];
    vec4 a = textureGrad(detail, vec3(p * s, layer), dx * s, dy * s);
#ifdef HIGH
    vec4 b = textureGrad(detail, vec3(TURN * p * (s * 0.41) + 0.37, layer), TURN * dx * (s * 0.41), TURN * dy * (s * 0.41));
    a = mix(a, b, 0.42);
#endif
    return vec4(a.rgb * a.rgb, a.a);
}

void main() {
    vec2 p = position.xy;
    vec2 dx = dFdx(p), dy = dFdy(p);
    // without anisotropic filtering the ground smears along the road: take the mip level between both axes
    float major = max(dot(dx, dx), dot(dy, dy)), minor = min(dot(dx, dx), dot(dy, dy));
    float sharper = clamp(sqrt(sqrt(minor / major)), 0.35, 1.0);
    dx *= sharper; dy *= sharper;
    vec2 uv = (p - terrain_rect.xy) * terrain_rect.zw;
    float far = distance(position, eye_position());
    vec4 broad = texture(noise_map, p / 173.0);
    vec4 fine = textureGrad(noise_map, TURN * p / 23.0 + 0.3, TURN * dx / 23.0, TURN * dy / 23.0);
#ifdef PLANE
    vec4 light = vec4(1.0, 0.0, 1.0, 0.0);
    vec4 a = vec4(0.0, 0.0, 0.0, 1.0), b = vec4(0.0);
#else
    vec4 light = texture(terrain_light, uv);
    vec4 a, b;
    if (max(abs(uv.x - 0.5), abs(uv.y - 0.5)) > 0.5) { a = vec4(1, 0, 0, 0); b = vec4(0); light = vec4(1, 0, 1, 0); }
    else {
        vec2 ragged = (fine.xy - 0.5) * terrain_rect.zw * 1.6;
        vec4 natural = texture(weights_a, uv + ragged);
        vec4 other = texture(weights_b, uv + ragged);
#ifdef HIGH
        vec4 paved = texture(weights_a, uv);
        other.x = texture(weights_b, uv).x;
#else
        vec4 paved = natural;
#endif
        a = smoothstep(0.22, 0.78, vec4(natural.xyz + (fine.z - 0.5) * 0.25, paved.w));
        b = smoothstep(0.22, 0.78, other);
        float sharp = 0.06 + 0.5 * fwidth(paved.w);
        a.w = smoothstep(0.5 - sharp, 0.5 + sharp, paved.w + (fine.w - 0.5) * 0.10);
        b.x = smoothstep(0.5 - sharp, 0.5 + sharp, other.x);
    }
#endif
    float paint = 0.0, track = 0.0;
#ifdef ROAD
    vec2 road_uv = (p - road_rect.xy) * road_rect.zw;
    vec4 road = texture(road_map, road_uv);
    if (max(abs(road_uv.x - 0.5), abs(road_uv.y - 0.5)) > 0.4999) road.g = -20.0;
    float f = 0.75 * max(fwidth(road.r), 0.002);
    if (road.g > -1.5) {
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
        paint = max(centre, side) * strength * (1.0 - smoothstep(160.0, 280.0, far));
        paint *= 0.62 + 0.38 * smoothstep(0.30, 0.55, fine.y);
        float lane = abs(abs(road.r) - 0.5 * (road.g + abs(road.r)));
        track = smoothstep(0.42, 0.10, abs(lane - 0.78)) * on_road;
    }
#endif
    float wild = smoothstep(0.50, 0.66, broad.x * 0.55 + fine.z * 0.45);
    a.y += a.x * smoothstep(0.62, 0.72, broad.y * 0.4 + fine.x * 0.6) * 0.75;
    a.x *= 1.0 - 0.6 * smoothstep(0.62, 0.72, broad.y * 0.4 + fine.x * 0.6);
    float steep = smoothstep(0.05, 0.16, 1.0 - normalize(normal).z);
    float ledge = smoothstep(0.46, 0.62, broad.z * 0.5 + fine.y * 0.5);
    a.x += a.z * steep * ledge * 0.9;  // grass takes hold on the ledges of steep gravel
    a.z *= 1.0 - steep * ledge * 0.9;
    float tuft = textureGrad(noise_map, p / 4.7, dx / 4.7, dy / 4.7).x;
    vec4 sum = vec4(0.0);
    float total = 0.0;
    for (int i = 0; i < 4; ++i) {
        if (a[i] > 0.02) {
            vec4 c = look(i, p, dx, dy);
            if (i == 0) c.rgb *= mix(vec3(1.18, 1.02, 1.05), vec3(2.25, 1.52, 1.95), wild) * (0.62 + 0.76 * fine.y) * (0.6 + 0.8 * tuft);
            if (i == 3) c.rgb *= (0.82 + 0.36 * broad.z) * (1.0 - 0.12 * track) * (0.88 + 0.24 * fine.x) * vec3(1.26, 1.28, 1.30);
            if (i == 1 || i == 2) c.rgb *= 0.78 + 0.44 * fine.y;
            if (i == 2) c.rgb *= mix(vec3(1.0), vec3(0.42, 0.39, 0.35) * (0.55 + 0.9 * broad.w), steep);
            sum += c * a[i]; total += a[i];
        }
    }
    for (int i = 0; i < 4; ++i) {
        if (b[i] > 0.02) {
            vec4 c = look(i + 4, p, dx, dy);
            c.rgb *= 0.86 + 0.28 * fine.y;
            sum += c * b[i]; total += b[i];
        }
    }
    vec3 albedo = sum.rgb / max(total, 0.02);
    float height = sum.a / max(total, 0.02);
#ifdef PLANE
    vec2 line = abs(fract(p / 10.0 + 0.5) - 0.5) * 10.0, small = abs(fract(p / 2.0 + 0.5) - 0.5) * 2.0;
    vec2 wide = fwidth(p) + 1e-4;
    vec2 big = smoothstep(0.06 + wide, 0.06 - wide * 0.2, line) * min(vec2(1.0), 0.12 / wide);
    vec2 thin = smoothstep(0.02 + wide, 0.02 - wide * 0.2, small) * min(vec2(1.0), 0.04 / wide);
    albedo = mix(albedo * 1.15, vec3(0.55, 0.56, 0.55), 0.75 * max(big.x, big.y));
    albedo = mix(albedo, vec3(0.34), 0.5 * max(thin.x, thin.y));
#endif
    albedo = mix(albedo, vec3(0.60, 0.59, 0.56), paint);
    if (far > 300.0) {  // forest patches on the hills
        float wood = texture(noise_map, p / 900.0).y * 0.6 + broad.w * 0.4;
        float forest = smoothstep(300.0, 700.0, far) * smoothstep(0.50, 0.56, wood + (fine.z - 0.5) * 0.10);
        albedo = mix(albedo, vec3(0.024, 0.034, 0.018) * (0.6 + 0.8 * fine.y), forest * a.x * 0.9);
    }
    float wet = light.g;
    albedo *= mix(1.0, 0.55, wet);

    vec3 n = normalize(normal);
#ifdef HIGH
    float relief = 1.0 - smoothstep(15.0, 90.0, far);
    vec3 px = dFdx(position), py = dFdy(position);
    float hx = dFdx(height), hy = dFdy(height), depth = 0.035 * relief * (1.0 - paint);
    vec3 r1 = cross(py, n), r2 = cross(n, px);
    float det = dot(px, r1);
    vec3 slope = sign(det) * (hx * r1 + hy * r2) * depth;
    n = normalize(abs(det) * n - slope);
#endif
    float open = under_vehicle(position);
    float nl = max(dot(n, sun_direction), 0.0);
    float sun = nl > 0.0 ? sun_visibility(position, n) * light.r : 0.0;
    vec3 result = albedo * (sun_colour * (0.31831 * nl * sun) + sky_ambient(n) * (open * light.b * (0.65 + 0.5 * height)));
    float shiny = max(wet * 0.9, max(b.w * 0.8, paint * 0.12));
#ifdef HIGH
    shiny = max(shiny, 0.22 * a.w * (1.0 - 0.7 * smoothstep(50.0, 220.0, far)));
#endif
    if (shiny > 0.03) {
        vec3 v = normalize(eye_position() - position);
        float roughness = mix(0.75, 0.16, shiny), nv = max(dot(n, v), 0.02);
        vec3 env = environment_brdf(vec3(0.03), roughness, nv) * shiny;
        vec3 r = reflect(-v, n);
        r.z = max(r.z, 0.02);
        result += env * reflection(r, roughness) * open;
        result += sun_colour * ggx(n, v, sun_direction, roughness) * 0.03 * shiny * sun;
    }
    colour_out = vec4(film(haze(result, position)), 1.0);
}
