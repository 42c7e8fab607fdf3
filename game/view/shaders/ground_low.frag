// Ground for software OpenGL, which executes both sides of every branch: one detail read, of the strongest look;
// the others enter by their mean colours.
const vec3 MEAN[8] = vec3[8](
    vec3(0.0701, 0.0859, 0.0225),
    vec3(0.1362, 0.0971, 0.0609),
    vec3(0.2900, 0.2546, 0.2110),
    vec3(0.0700, 0.0681, 0.0681),
    vec3(0.3524, 0.3309, 0.2883),
    vec3(0.4694, 0.3515, 0.1884),
    vec3(0.7780, 0.8186, 0.8650),
    vec3(0.3396, 0.4553, 0.5264));

void main() {
    vec2 p = position.xy, dx, dy;
    sharper_steps(p, dx, dy);
    float far = distance(position, eye_position()), steep;
    vec4 broad = texture(noise_map, p / 173.0);
    vec4 fine = textureGrad(noise_map, TURN * p / 23.0 + 0.3, TURN * dx / 23.0, TURN * dy / 23.0);
    vec3 n = normalize(normal);
    vec4 a, b, light;
    read_weights(p, fine, a, b, light);
    vec2 road = read_road(p, far, fine, a, b);
    grow(n, broad, fine, a, steep);
    int layer = 0;
    float most = a.x;
    if (a.y > most) { most = a.y; layer = 1; }
    if (a.z > most) { most = a.z; layer = 2; }
    if (a.w > most) { most = a.w; layer = 3; }
    if (b.x > most) { most = b.x; layer = 4; }
    if (b.y > most) { most = b.y; layer = 5; }
    if (b.z > most) { most = b.z; layer = 6; }
    if (b.w > most) { most = b.w; layer = 7; }
    float s = TILE[layer];
    vec4 c = textureGrad(detail, vec3(p * s, layer), dx * s, dy * s);
    vec3 other = MEAN[1] * a.y + (MEAN[4] * b.x + MEAN[5] * b.y + MEAN[6] * b.z + MEAN[7] * b.w);
    vec3 albedo = MEAN[0] * a.x * grass_tint(broad, fine, c.a) + MEAN[2] * a.z * gravel_tint(broad, fine, steep)
                + MEAN[3] * a.w * asphalt_tint(broad, fine, road.y) + other * (0.80 + 0.40 * fine.y);
    albedo /= max(a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w, 0.02);
    albedo *= c.rgb * c.rgb / MEAN[layer];
    albedo = mix(plane_lines(albedo, p), vec3(0.60, 0.59, 0.56), road.x);
    float forest = smoothstep(300.0, 700.0, far) * smoothstep(0.50, 0.58, broad.y * 0.7 + fine.z * 0.3);
    albedo = mix(albedo, vec3(0.024, 0.034, 0.018) * (0.6 + 0.8 * fine.y), forest * a.x * 0.9);
    float wet = light.g;
    albedo *= 1.0 - 0.45 * wet;

    float open = under_vehicle(position), nl = max(dot(n, sun_direction), 0.0);
    float sun = sun_visibility(position, n) * light.r * nl;
    vec3 result = albedo * (sun_colour * (0.31831 * sun) + sky_ambient(n) * (open * light.b * (0.65 + 0.5 * c.a)));
    float shiny = max(wet, b.w * 0.8) * open;
    vec3 v = normalize(eye_position() - position);
    float coat = 0.03 + 0.97 * pow(1.0 - max(dot(n, v), 0.02), 5.0);
    result += shiny * coat * 0.8 * haze_light(reflect(-v, n));
    colour_out = vec4(film(haze(result, position)), 1.0);
}
