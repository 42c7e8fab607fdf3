// The glass of mirrors: the scene behind the vehicle, and in front of it the vehicle's own flank (view/light/mirrors.py).
uniform sampler2D flank_picture; // left half: from the left outside mirror, premultiplied
uniform mat4 flank_matrix[2];    // world to each half
in vec3 position;
in vec3 normal;
flat in int material;
in float openness;
in float side;
in float seam;
out vec4 colour_out;
const float CABIN = 2.6;         // m from the eye; the driver's own mirrors are nearer
const float INNER = 0.3;         // m from the vehicle's middle plane; mirrors farther out are outside mirrors
const float FLANK = 2.0, FAR_AWAY = 80.0;  // m along the ray to the points where flank and rear image are looked up
const float SILVER = 0.92;       // reflectance

#ifdef HIGH
uniform sampler2D mirror_picture;
uniform mat4 mirror_matrix[1];   // world to picture
vec3 behind(vec3 r) {
    vec4 q = mirror_matrix[0] * vec4(position + r * FAR_AWAY, 1.0);
    if (eye_in_vehicle < 0.5 || q.w <= 0.0) return film(haze(reflection(r, 0.02), position));
    return texture(mirror_picture, q.xy / q.w).rgb;
}
#else
uniform mat4 p3d_ModelMatrix;
uniform sampler2D weights_a;     // grass, soil, gravel, asphalt
uniform sampler2D noise_map;     // four independent noises, 0..1
#ifdef ROAD
uniform sampler2D road_map;      // as in ground_low.frag
uniform vec4 road_rect;          // of road_map, as terrain_rect
#endif
const vec3 SOIL = vec3(0.1362, 0.0971, 0.0609), GRAVEL = vec3(0.2900, 0.2546, 0.2110), ASPHALT = vec3(0.0870, 0.0860, 0.0870);

// The plane below the vehicle, with the road on it, and the sky above.
vec3 behind(vec3 r) {
    vec3 up = p3d_ModelMatrix[2].xyz;
    float falls = -dot(r, up);
    float far = min(dot(position - p3d_ModelMatrix[3].xyz, up) / max(falls, 1e-4), 2000.0);
    vec3 g = position + r * far;
    vec4 fine = texture(noise_map, TURN * g.xy / 23.0 + 0.3), broad = texture(noise_map, g.xy / 173.0);
    vec2 uv = (g.xy - terrain_rect.xy) * terrain_rect.zw;
    vec4 a = texture(weights_a, uv), light = texture(terrain_light, uv);
    if (max(abs(uv.x - 0.5), abs(uv.y - 0.5)) > 0.5) { a = vec4(1, 0, 0, 0); light = vec4(1, 0, 1, 0); }
    float paint = 0.0;
#ifdef ROAD
    vec2 at = (g.xy - road_rect.xy) * road_rect.zw;
    vec4 road = texture(road_map, at);
    if (max(abs(at.x - 0.5), abs(at.y - 0.5)) > 0.4999) road.g = -20.0;
    float f = 0.75 * clamp(fwidth(road.r), 0.002, 2.0);
    a = mix(a, vec4(0, 0, 0, 1), clamp(road.g / (0.1 + 2.0 * f) + 0.5, 0.0, 1.0));
    vec2 line = clamp((0.06 + f - abs(vec2(road.r, road.g - 0.28))) / (2.0 * f), 0.0, 1.0);
    paint = max(line.x * clamp(0.5 + (road.b - 0.5) / (1.2 * f), 0.0, 1.0), line.y) * min(1.0, 0.1 / f) * step(-1.5, road.g);
#endif
    float rare = max(1.0 - (a.x + a.y + a.z + a.w), 0.0);
    vec3 albedo = GRASS_MEAN * a.x * grass_tint(broad, fine, 0.5) + SOIL * a.y + GRAVEL * (a.z + rare) + ASPHALT * a.w;
    albedo = mix(albedo, vec3(0.60, 0.59, 0.56), paint * 0.8);
    vec3 lit = albedo * (sun_colour * (0.31831 * max(up.z * sun_direction.z, 0.0) * light.r) + sky_ambient(up) * light.b
                         + lamp_light(g, up));
    return film(mix(haze(reflection(r, 0.02), position), haze(lit, g), smoothstep(0.0, 0.004, falls)));
}
#endif

// The vehicle's own flank, as seen in an outside mirror from inside; alpha is 0 beyond its outline.
vec4 flank(vec3 r) {
    vec4 q = (side < 0.0 ? flank_matrix[0] : flank_matrix[1]) * vec4(position + r * FLANK, 1.0);
    vec2 uv = q.xy / q.w;
    bool seen = eye_in_vehicle > 0.5 && distance(position, eye_position()) < CABIN && abs(side) > INNER
             && q.w > 0.0 && max(abs(uv.x - 0.5), abs(uv.y - 0.5)) < 0.498;
    vec4 picture = texture(flank_picture, vec2((uv.x + (side < 0.0 ? 0.0 : 1.0)) * 0.5, uv.y));
    return seen ? picture : vec4(0.0);
}

void main() {
    vec3 v = normalize(eye_position() - position), n = normalize(normal), r = reflect(-v, n);
    vec4 own = flank(r);
    colour_out = vec4((behind(r) * (1.0 - own.a) + own.rgb) * SILVER, 1.0);
}
