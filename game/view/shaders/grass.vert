// Tufts and stones around the eye. Every root is repeated across the plane with the period of its tile, stands on the
// triangles that are drawn and driven on, and is left out where the ground's look does not suit it.
uniform mat4 p3d_ViewProjectionMatrix;
uniform mat4 p3d_ViewMatrixInverse;
uniform mat4 p3d_ProjectionMatrix;
uniform sampler2D height_map;    // samples of the field, one texel each
uniform vec4 height_rect;        // origin x, y, 1 / cell, cell
uniform sampler2D weights_a;
uniform sampler2D noise_map;
uniform vec4 terrain_rect;
uniform vec4 tile;               // period, m where it begins, m where it ends, width added per metre of distance through the usual lens
in vec4 p3d_Vertex;              // from the root, m
in vec3 p3d_Normal;              // root in the tile 0..1 (2), random number: drawn where it is below the ground's share
in vec4 look;                    // direction in which the blade is widened (2), share of its height, dryness
out vec3 position;
out vec3 normal;
out vec4 tint;                   // albedo, share of height

float ground(vec2 p, out vec3 n) {
    vec2 q = (p - height_rect.xy) * height_rect.z;
    ivec2 i = clamp(ivec2(floor(q)), ivec2(0), textureSize(height_map, 0) - 2);
    vec2 f = q - vec2(i);
    float a = texelFetch(height_map, i, 0).r, b = texelFetch(height_map, i + ivec2(1, 0), 0).r;
    float c = texelFetch(height_map, i + ivec2(0, 1), 0).r, d = texelFetch(height_map, i + ivec2(1, 1), 0).r;
    vec2 slope = f.x > f.y ? vec2(b - a, d - b) : vec2(d - c, c - a);
    n = normalize(vec3(-slope * height_rect.z, 1.0));
    return a + dot(f, slope);
}

void main() {
    vec2 eye = p3d_ViewMatrixInverse[3].xy, root = p3d_Normal.xy * tile.x;
    vec2 p = root + tile.x * round((eye - root) / tile.x);
    float far = distance(p, eye);
    vec4 broad = textureLod(noise_map, p / 173.0, 0.0), fine = textureLod(noise_map, TURN * p / 23.0 + 0.3, 0.0);
    float tuft = textureLod(noise_map, p / 4.7, 0.0).x;
    vec2 uv = (p - terrain_rect.xy) * terrain_rect.zw;
    vec4 weights = textureLod(weights_a, uv + (fine.xy - 0.5) * terrain_rect.zw * 1.6, 0.0);
    float z = ground(p, normal);
#ifdef STONES
    float share = smoothstep(0.35, 0.75, weights.z) + 0.22 * smoothstep(0.4, 0.8, weights.y);
#else
    float share = smoothstep(0.5, 0.85, weights.x) * (1.0 - 0.75 * bare_soil(broad, fine)) * (0.35 + 0.9 * tuft);
    share += 0.10 * smoothstep(0.4, 0.9, weights.z + weights.y);   // a few on the verge
#endif
    float there = step(p3d_Normal.z, share) * step(max(abs(uv.x - 0.5), abs(uv.y - 0.5)), 0.4995);
    float size = there * smoothstep(tile.y * 0.75, tile.y + 0.01, far) * (1.0 - smoothstep(tile.z * 0.75, tile.z, far));
    vec3 below = (to_focus_vehicle * vec4(p, z, 1.0)).xyz;   // pressed down under the vehicle
    vec2 beyond = abs(below.xy) - focus_half_size.xy;
    size *= mix(1.0, 0.22, focus_strength * step(max(beyond.x, beyond.y), -0.05) * step(abs(below.z), 1.0));
    vec3 bend = p3d_Vertex.xyz;
#ifdef STONES
    float grown = 0.6 + 0.8 * fract(p3d_Normal.z * 91.7);
    position = vec3(p, z - 0.006) + bend * size * grown;
    normal = normalize(look.xyz);
    tint = vec4(mix(vec3(0.20, 0.175, 0.145), vec3(0.42, 0.39, 0.35), look.w) * (0.8 + 0.4 * fine.y), 1.0);
#else
    float zoom = max(1.0, p3d_ProjectionMatrix[0][0] * USUAL_LENS);  // how many times larger a long lens shows it
    bend.xy += look.xy * far * tile.w / zoom;
    float wind = sin(frame_time * 1.7 + dot(p, vec2(0.23, 0.31)) + 3.0 * broad.x) * 0.5 + 0.5;
    bend.xy += vec2(0.05, 0.03) * wind * look.z * look.z;
    size *= 0.55 + 0.75 * fine.y;
    position = vec3(p, z - 0.015) + bend * size;
    vec3 green = GRASS_MEAN * grass_tint(broad, fine, tuft);
    vec3 straw = vec3(0.34, 0.255, 0.105);
    tint = vec4(mix(green * 1.15, straw, look.w) * (0.75 + 0.5 * fract(p3d_Normal.z * 57.3)), look.z);
#endif
    gl_Position = size > 0.01 ? p3d_ViewProjectionMatrix * vec4(position, 1.0) : vec4(0.0, 0.0, -2.0, 1.0);
}
