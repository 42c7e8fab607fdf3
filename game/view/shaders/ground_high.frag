// Ground on graphics cards: up to eight looks blended, each read at two scales; relief; wet and glossy reflections.
// (albedo, height) of a look at p; dx, dy: derivatives of p per pixel.
vec4 look(int layer, vec2 p, vec2 dx, vec2 dy) {
    float s = TILE[layer];
    vec4 a = textureGrad(detail, vec3(p * s, layer), dx * s, dy * s);
    vec4 b = textureGrad(detail, vec3(TURN * p * (s * 0.41) + 0.37, layer), TURN * dx * (s * 0.41), TURN * dy * (s * 0.41));
    a = mix(a, b, 0.42);
    return vec4(a.rgb * a.rgb, a.a);
}

void main() {
    vec2 p = position.xy, dx, dy;
    float longest = sqrt(max(dot(dFdx(p), dFdx(p)), dot(dFdy(p), dFdy(p))));  // m of ground along a pixel
    sharper_steps(p, dx, dy);
    float far = distance(position, eye_position()), steep;
    vec4 broad = texture(noise_map, p / 173.0);
    vec4 fine = textureGrad(noise_map, TURN * p / 23.0 + 0.3, TURN * dx / 23.0, TURN * dy / 23.0);
    float tuft = textureGrad(noise_map, p / 4.7, dx / 4.7, dy / 4.7).x;
    vec3 n = normalize(normal);
    vec4 a, b, light;
    read_weights(p, fine, a, b, light);
    vec4 wear = textureGrad(detail, vec3(p * WEAR, WEAR_LAYER), dx * WEAR, dy * WEAR);
    vec3 road = read_road(p, far, wear, fine, a, b);
    float paint = road.x;
    grow(n, broad, fine, a, steep);
    vec4 sum = vec4(0.0);
    float total = 0.0, most = 0.0;
    int strongest = 0;
    for (int i = 0; i < 8; ++i) {
        float weight = i < 4 ? a[i] : b[i - 4];
        if (weight > 0.02) {
            vec4 c = look(i, p, dx, dy);
            if (i == 0) c.rgb *= grass_tint(broad, fine, tuft);
            else if (i == 2) c.rgb *= gravel_tint(broad, fine, steep);
            else if (i == 3) c.rgb *= asphalt_tint(broad, fine) * (asphalt_cracks(p, far, broad, fine, road.z) * road.y);
            else c.rgb *= 0.80 + 0.40 * fine.y;
            sum += c * weight; total += weight;
            if (weight > most) { most = weight; strongest = i; }
        }
    }
    vec3 albedo = sum.rgb / max(total, 0.02);
    float height = sum.a / max(total, 0.02);
    albedo = mix(plane_lines(albedo, p), vec3(0.60, 0.59, 0.56), paint);
    if (far > 300.0) {  // forest patches on the hills
        float wood = texture(noise_map, p / 900.0).y * 0.6 + broad.w * 0.4;
        float forest = smoothstep(300.0, 700.0, far) * smoothstep(0.50, 0.56, wood + (fine.z - 0.5) * 0.10);
        albedo = mix(albedo, vec3(0.024, 0.034, 0.018) * (0.6 + 0.8 * fine.y), forest * a.x * 0.9);
    }
    float wet = light.g;
    albedo *= mix(1.0, 0.55, wet);

    float relief = 1.0 - smoothstep(15.0, 90.0, far);
    float depth = relief * (1.0 - paint) * (0.006 * a.w + 0.020 * a.z + 0.012 * (a.x + a.y) + 0.005 * (b.x + b.y + b.z));
    if (depth > 1e-4) {  // the strongest look's own heights, a texel or a pixel apart
        float s = TILE[strongest], texel = 1.0 / (384.0 * s), apart = max(texel, 0.7 * sqrt(length(dx) * length(dy)));
        vec2 right = (p + vec2(apart, 0.0)) * s, ahead = (p + vec2(0.0, apart)) * s;
        float here = textureGrad(detail, vec3(p * s, strongest), dx * s, dy * s).a;
        vec2 rise = vec2(textureGrad(detail, vec3(right, strongest), dx * s, dy * s).a,
                         textureGrad(detail, vec3(ahead, strongest), dx * s, dy * s).a) - here;
        rise *= depth / apart;
        // A pixel's light is the mean over its slopes. A slope spans about two texels, and slopes are independent, so the
        // mean slope falls with the root of their number in the pixel; using a single one would glitter as the eye moves.
        float left = min(1.0, sqrt(2.0 * texel / max(longest, texel)));
        n = normalize(n - vec3(rise * (left * min(1.0, 1.1 / max(length(rise), 1e-6))), 0.0));
    }
    float open = under_vehicle(position);
    float nl = max(dot(n, sun_direction), 0.0);
    float sun = nl > 0.0 ? sun_visibility(position, n) * light.r : 0.0;
    vec3 result = albedo * (sun_colour * (0.31831 * nl * sun) + sky_ambient(n) * (open * light.b * (0.65 + 0.5 * height)));
    result += albedo * lamp_light(position, n);
    float shiny = max(wet * 0.9, max(b.w * 0.8, paint * 0.12));
    shiny = max(shiny, 0.22 * a.w * (1.0 - 0.7 * smoothstep(50.0, 220.0, far)));
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
