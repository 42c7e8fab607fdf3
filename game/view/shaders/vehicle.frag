// Vehicle materials: a table, GGX highlights, and reflections of the sky, darkened by the ground and the shadow on it.
uniform vec3 paint_base;         // diffuse
uniform vec3 paint_flake;        // F0 of the flakes
uniform vec4 lamps[1];           // brake, reverse, head: 0 or 1; turn signals: 0 off, 1 left, 2 right, 3 both
in vec3 position;
in vec3 normal;
flat in int material;
in float openness;               // share of the sky's light that reaches the point
in float side;                   // of the vehicle, negative left
in float seam;                   // in seams: position across the gap; on number plates: share that letters cover; on lamps: 1
out vec4 colour_out;

const int PAINT = 0, GLASS = 1, LAMP_FRONT = 8, LAMP_REAR = 9, PLATE = 13, LAMP_TURN = 14, LAMP_REVERSE = 15, DIAL = 16, SIGN = 19, SEAM = 20, MATT = 24, NEEDLE = 27;
const float GAP = 0.0035, SEAM_REACH = 0.012;  // m: half width of a panel gap; distance from it that `seam` 0 or 1 means
const float CABIN = 2.6;         // m from the eye; the parts of a cabin are nearer
// rgb and roughness; order as in game/view/vehicle/model.py MATERIALS
const vec4 TABLE[29] = vec4[29](
    vec4(0, 0, 0, 0.38), vec4(0.01, 0.011, 0.012, 0.04), vec4(0.021, 0.021, 0.022, 0.80), vec4(0.34, 0.34, 0.35, 0.27),
    vec4(0.42, 0.41, 0.40, 0.30), vec4(0.55, 0.13, 0.012, 0.35), vec4(0.022, 0.022, 0.022, 0.55),
    vec4(0.010, 0.010, 0.010, 0.11), vec4(0.30, 0.31, 0.32, 0.12), vec4(0.16, 0.006, 0.005, 0.10),
    vec4(0.030, 0.027, 0.025, 0.75), vec4(0.62, 0.62, 0.63, 0.09), vec4(0.055, 0.056, 0.058, 0.42), vec4(0.55, 0.55, 0.53, 0.5),
    vec4(0.42, 0.12, 0.008, 0.12), vec4(0.34, 0.34, 0.35, 0.12), vec4(0.60, 0.62, 0.65, 0.5),
    vec4(0.80, 0.81, 0.82, 0.02), vec4(0.36, 0.345, 0.32, 0.85), vec4(0.010, 0.010, 0.010, 0.30),
    vec4(0.022, 0.022, 0.022, 0.38),  // of seams as smooth as the paint on both sides
    vec4(0.42, 0.22, 0.14, 0.60), vec4(0.050, 0.066, 0.090, 0.90), vec4(0.150, 0.130, 0.080, 0.90), vec4(0, 0, 0, 0.62),
    vec4(0.115, 0.047, 0.020, 0.50), vec4(0.48, 0.42, 0.32, 0.80), vec4(0.62, 0.060, 0.012, 0.45),
    vec4(0.004, 0.004, 0.004, 0.95));
// share of metal, in the same order
const float METAL[29] = float[29](0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.7, 0.0, 0.0, 1.0, 0.6, 0.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);

// Light that a lamp emits; lamps shine less to the side. It is as bright in the frame by night as by day (glow is divided
// by the exposure), because overexposed lamps would only turn from red to yellow.
vec3 glow(float nv) {
    if (material == LAMP_REAR) return vec3(0.9, 0.004, 0.010) * (0.12 + 0.2 * lamps[0].z + 1.25 * lamps[0].x) * (0.3 + 0.7 * nv);
    if (material == LAMP_FRONT) return vec3(0.25, 0.26, 0.28) + vec3(5.0, 4.8, 4.3) * lamps[0].z * nv * nv;
    if (material == LAMP_REVERSE) return vec3(1.9, 1.85, 1.75) * lamps[0].y * (0.3 + 0.7 * nv);
    if (material == DIAL) return vec3(0.05) + vec3(0.30, 0.34, 0.40) * lamps[0].z;
    if (material == NEEDLE) return vec3(0.03, 0.003, 0.001) + vec3(0.45, 0.05, 0.01) * lamps[0].z;
    if (material == LAMP_TURN) {
        float on = mod(floor(lamps[0].w / (side < 0.0 ? 1.0 : 2.0)), 2.0) * step(fract(frame_time * 1.5), 0.5);
        return vec3(2.6, 0.75, 0.02) * on * (0.3 + 0.7 * nv);
    }
    return vec3(0.0);
}

// Light that a surface of this roughness reflects from direction r; from the ground, less where that is in shadow.
vec3 mirrored(vec3 r, float roughness) {
    vec3 c = reflection(r, roughness);
    if (r.z < -0.03) {
        float ground = tire_contact(0).z;  // height of the focus vehicle's first tire contact
        vec3 g = position + r * (max(position.z - ground, 0.02) / -r.z);
#ifdef HIGH
        float lit = mix(0.30, 1.0, sun_visibility(g, vec3(0, 0, 1))) * mix(0.35, 1.0, under_vehicle(g));
#else
        float lit = mix(0.25, 1.0, under_vehicle(g));
#endif
        c *= mix(1.0, lit, smoothstep(0.03, 0.12, -r.z));
    }
    return c;
}

// Share of a pixel that is paint and not the dark of a panel gap: a gap narrower than a pixel fades instead of breaking.
float painted_share() {
    float away = abs(seam - 0.5) * 2.0 * SEAM_REACH, wide = 0.75 * fwidth(seam) * 2.0 * SEAM_REACH + 1e-5;
    float dark = clamp((GAP + wide - away) / (2.0 * wide), 0.0, 1.0) * min(1.0, GAP / wide);
    if (material == SEAM) return 1.0 - dark * clamp((SEAM_REACH - wide) / GAP, 0.0, 1.0);
    return material == PAINT ? 1.0 : 0.0;
}

#ifdef LOW
// Without multisampling, details smaller than a pixel appear in one frame and not in the next. So strokes on number
// plates fade into the mean colour of plate and letters, and small shiny parts of lamps into LAMP_MEAN.
const float STROKE = 0.012, LENS = 0.030;    // m, of a letter; of the rings and lenses of a lamp
const vec3 LAMP_MEAN = vec3(0.10, 0.05, 0.045);  // of lenses, their rings and the dark between them
vec4 filtered(vec4 row, float pixel, out float lost) {
    lost = 0.0;
    if (seam > 0.0 && (material == PLATE || material == SIGN)) {
        float share = smoothstep(0.4, 1.0, pixel / STROKE);  // from two and a half pixels a stroke on
        row.rgb = mix(row.rgb, mix(TABLE[PLATE].rgb, TABLE[SIGN].rgb, seam), share);
        row.a = mix(row.a, TABLE[PLATE].a, share);
    } else if (seam > 0.0 && material != SEAM && material != PAINT) {
        lost = smoothstep(0.25, 0.9, pixel / LENS);
        row = mix(row, vec4(LAMP_MEAN, 0.8), lost);
    }
    return row;
}
#endif

void main() {
    vec3 v = normalize(eye_position() - position), n = normalize(normal);
    if (!gl_FrontFacing) n = -n;
    float nv = max(dot(n, v), 0.02), nl = max(dot(n, sun_direction), 0.0);
    // roughness added where the normal varies within a pixel, so that highlights do not flicker
    vec3 edge_x = dFdx(n), edge_y = dFdy(n);
    float widen = min(0.5 * (dot(edge_x, edge_x) + dot(edge_y, edge_y)), 0.18);
    float hill = texture(terrain_light, (position.xy - terrain_rect.xy) * terrain_rect.zw).r;
    float sun = nl > 0.0 ? sun_visibility(position, n) * hill : 0.0;
    vec4 row = TABLE[material];
    if (material == MATT) row.rgb = 1.25 * paint_flake;  // the vehicle's colour as it was chosen
    float open = openness * mix(0.55, 1.0, smoothstep(-0.6, 0.5, n.z));
    vec3 r = reflect(-v, n);
    // Brightens the cabin for an eye in it, which is used to its dimness; the baked openness also lacks light from the trim.
    float dim = eye_in_vehicle * smoothstep(CABIN, 0.5 * CABIN, distance(position, eye_position())) * (1.0 - open);
#ifdef GLASS_PASS
    float fresnel = 0.04 + 0.96 * pow(1.0 - nv, 5.0);
    float alpha = gl_FrontFacing ? mix(0.62, 1.0, fresnel) : 0.16;  // from the seats it is clear
    vec3 c = reflection(r, 0.04) * fresnel + sun_colour * ggx(n, v, sun_direction, 0.08) * fresnel * sun + row.rgb * 0.3;
    colour_out = vec4(film(haze(c, position)), alpha);
#else
    vec3 result;
    open += 1.1 * dim;
    row.rgb += 0.020 * dim;          // dust and grain of trim that is black in the sun
    float painted = painted_share();
#ifdef HIGH
    if (painted > 0.0) {
        vec3 env = mirrored(r, 0.36);
        vec3 flakes = environment_brdf(paint_flake, row.a, nv) * env * open
                    + paint_flake * sun_colour * ggx(n, v, sun_direction, row.a) * sun;
        vec3 base = paint_base * (sun_colour * (0.31831 * nl * sun) + sky_ambient(n) * open);
        float coat = 0.04 + 0.96 * pow(1.0 - nv, 5.0);
        float gloss = clamp(0.05 + widen, 0.0, 0.5);
        vec3 clear = mirrored(r, gloss) * coat * mix(0.4, 1.0, open)
                   + sun_colour * ggx(n, v, sun_direction, gloss + 0.05) * 0.04 * sun;
        result = ((base + flakes) * (1.0 - coat) + clear) * painted;
    } else {
        float roughness = clamp(row.a + widen, 0.05, 1.0), metal = METAL[material];
        vec3 f0 = mix(vec3(0.04), row.rgb, metal);
        vec3 diffuse = row.rgb * (1.0 - metal) * (sun_colour * (0.31831 * nl * sun) + sky_ambient(n) * open);
        vec3 env = environment_brdf(f0, roughness, nv) * mirrored(r, roughness) * open;
        result = diffuse + env + f0 * sun_colour * ggx(n, v, sun_direction, roughness) * sun;
    }
#else
    // Software OpenGL runs both sides of a branch, so there is one path; the paint's flakes reflect the harmonics only.
    float lost, pixel = max(length(dFdx(position)), length(dFdy(position)));
    row = filtered(row, pixel, lost);
    float metal = mix(METAL[material], 0.5, lost);
    float coat = (0.04 + 0.96 * pow(1.0 - nv, 5.0)) * painted;
    float roughness = clamp(mix(row.a, 0.05, painted) + widen, 0.05, 1.0);
    vec3 f0 = mix(mix(vec3(0.04), row.rgb, metal), paint_flake, painted);
    vec3 sheen = environment_brdf(f0, row.a, nv), mirror = mirrored(r, roughness);
    vec3 base = mix(row.rgb * (1.0 - metal), paint_base, painted);
    vec3 lobe = f0 * sun_colour * ggx(n, v, sun_direction, row.a) * sun;
    vec3 wide = sheen * mix(mirror, sky_ambient(r) * 1.1, painted) * open;
    result = (base * (sun_colour * (0.31831 * nl * sun) + sky_ambient(n) * open) + wide + lobe) * (1.0 - coat);
    result += mirror * coat * mix(0.4, 1.0, open) + sun_colour * (painted * 0.04 * sun * ggx(n, v, sun_direction, 0.10));
#endif
    result += mix(row.rgb * (1.0 - METAL[material]), paint_base + paint_flake * 0.5, painted)
            * lamp_light(position, n) + glow(nv) * (1.2 / exposure);
    colour_out = vec4(film(haze(result, position)), 1.0);
#endif
}
