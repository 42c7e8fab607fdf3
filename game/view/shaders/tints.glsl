// Colours that the ground and the grass on it share.
// rotation by 34 degrees: noise read at two scales then shows no common grid
const mat2 TURN = mat2(0.829, 0.559, -0.559, 0.829);
const vec3 GRASS_MEAN = vec3(0.0701, 0.0859, 0.0225);

// Factor on the ground's grass texture. broad, fine, tuft: noise with periods of 173, 23 and 4.7 m.
vec3 grass_tint(vec4 broad, vec4 fine, float tuft) {
    float wild = smoothstep(0.42, 0.66, broad.x * 0.55 + fine.z * 0.45);
    return mix(vec3(1.12, 1.13, 1.25), vec3(2.45, 1.75, 2.25), wild) * (0.72 + 0.56 * fine.y) * (0.70 + 0.60 * tuft);
}
// 0..1: how thin the grass is, so that soil shows through it.
float bare_soil(vec4 broad, vec4 fine) { return smoothstep(0.62, 0.72, broad.y * 0.4 + fine.x * 0.6); }


// Factor on the asphalt's texture: the wear of years (`wear`, read at p * WEAR from its layer), and the traces of traffic
// on a road: dark wheel tracks, oil between them, dust along the edge. lane: m from the middle of the lane; inside: m from
// the road's edge.
const vec2 WEAR = vec2(1.0 / 68.0, 1.0 / 50.4);   // assets/build/textures.py WEAR_TILE
const float WEAR_LAYER = 8.0;
float asphalt_wear(vec4 wear, float lane, float inside, vec4 fine, float on_road) {
    float driven = max(clamp(1.3 - 3.1 * abs(lane - 0.78), 0.0, 1.0), clamp(0.8 - 2.4 * lane, 0.0, 1.0));
    float dust = clamp(0.16 - 0.35 * inside, 0.0, 0.16);
    return 2.0 * mix(wear.r, wear.g, on_road) * (1.0 + on_road * (dust - (0.08 + 0.18 * fine.w) * driven));
}
