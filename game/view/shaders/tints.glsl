// Colours that the ground and the grass on it share.
const mat2 TURN = mat2(0.829, 0.559, -0.559, 0.829);
const vec3 GRASS_MEAN = vec3(0.0701, 0.0859, 0.0225);

// Times the texture of the ground. broad, fine, tuft: noise over 173, 23 and 4.7 m.
vec3 grass_tint(vec4 broad, vec4 fine, float tuft) {
    float wild = smoothstep(0.42, 0.66, broad.x * 0.55 + fine.z * 0.45);
    return mix(vec3(1.12, 1.13, 1.25), vec3(2.45, 1.75, 2.25), wild) * (0.72 + 0.56 * fine.y) * (0.70 + 0.60 * tuft);
}
// Where grass is so thin that soil shows through it.
float bare_soil(vec4 broad, vec4 fine) { return smoothstep(0.62, 0.72, broad.y * 0.4 + fine.x * 0.6); }
