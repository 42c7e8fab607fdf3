// Shared by all materials: light, shadows, haze, tone mapping. World axes, metres, linear light; only film() returns
// display colours.
uniform vec3 sun_direction;      // towards the sun
uniform float exposure;          // of the time of day
uniform vec3 sun_colour;         // radiance x pi of a white card facing it
uniform vec3 ambient_sh[9];      // sky irradiance / pi, basis constants folded in
uniform samplerCube sky_cube;    // GGX-prefiltered, level = roughness * 6
uniform sampler2DShadow shadow_vehicle;
uniform sampler2DShadow shadow_static;
uniform sampler2DShadow shadow_far;
uniform sampler2D terrain_light; // r sun visibility, g wetness, b openness to the sky, a unused
uniform vec4 terrain_rect;       // origin x, y, 1 / width, 1 / depth
uniform vec3 haze_colour[2];     // horizon away from the sun, and what the sun's side adds
uniform mat4 p3d_ViewMatrixInverse;

vec3 eye_position() { return p3d_ViewMatrixInverse[3].xyz; }

// Irradiance / pi of the sky on a surface with normal n; without HIGH from the first two bands of harmonics only.
vec3 sky_ambient(vec3 n) {
    vec3 sum = ambient_sh[0] + ambient_sh[1] * n.y + ambient_sh[2] * n.z + ambient_sh[3] * n.x;
#ifdef HIGH
    sum += ambient_sh[4] * (n.x * n.y) + ambient_sh[5] * (n.y * n.z) + ambient_sh[6] * (3.0 * n.z * n.z - 1.0)
         + ambient_sh[7] * (n.x * n.z) + ambient_sh[8] * (n.x * n.x - n.y * n.y);
#endif
    return max(sum, vec3(0.0));
}

// 1 if q is within a shadow map, whose coordinates are 0..1.
float inside(vec3 q) { return step(max(abs(q.x - 0.5), max(abs(q.y - 0.5), abs(q.z - 0.5))), 0.499); }

// Rotation of a pixel's taps, rad, which differs from that of its neighbours (interleaved gradient noise).
#ifdef IN_VERTEX
float noise_angle() { return 0.0; }
#else
float noise_angle() { return 6.2832 * fract(52.9829 * fract(dot(gl_FragCoord.xy, vec2(0.06711, 0.00584)))); }
#endif

// Share of sunlight at q: mean of comparisons on a disc of this radius (in map widths), along a spiral.
float shadow_taps(sampler2DShadow map, vec3 q, float radius, int taps) {
    float angle = noise_angle(), sum = 0.0;
    for (int i = 0; i < taps; ++i) {
        float r = sqrt((float(i) + 0.5) / float(taps)) * radius, a = angle + 2.39996 * float(i);
        sum += texture(map, vec3(q.xy + r * vec2(cos(a), sin(a)), q.z));
    }
    return sum / float(taps);
}

#ifdef PENUMBRA
// Radius of the blur, as a share of the map's width; it grows with the distance from the point to what shades it. A
// comparing sampler returns shares, not depths, so the distance is estimated by comparisons at four steps to the sun.
float penumbra(vec3 q) {
    float high = 0.0;
    for (int i = 1; i < 5; ++i) {
        float up = float(i) * 0.009;   // of the map's depth of 40 m
        high += (1.0 - shadow_taps(shadow_vehicle, q - vec3(0.0, 0.0, up), 0.010, 6)) * 0.25;
    }
    return mix(0.0012, 0.011, clamp(high * 1.6, 0.0, 1.0));
}
#endif

// m that a point is moved along its normal before it is compared with the vehicle map: shadow.vert thickens casters by
// half a texel, and at grazing light a surface rises by another within the filter. A texel is 10 mm on LOW, else 4 to 8.
#ifdef LOW
const float NORMAL_OFFSET = 0.022;
#else
const float NORMAL_OFFSET = 0.015;
#endif

// 1 in the sun. Vehicles and static objects have a map each; hills are baked into terrain_light.
float sun_visibility(vec3 p, vec3 n) {
    float light = 1.0;
    vec3 q = (to_vehicle_shadow * vec4(p + n * NORMAL_OFFSET, 1.0)).xyz;
    if (inside(q) > 0.5) {
#ifdef HIGH
#ifdef PENUMBRA
        light = shadow_taps(shadow_vehicle, q, penumbra(q), NEAR_TAPS);
#else
        light = shadow_taps(shadow_vehicle, q, 0.0045, NEAR_TAPS);
#endif
#else
        light = texture(shadow_vehicle, q);
#endif
    }
    // The maps follow a point ahead of the camera in steps, and fade with the distance from it (in static map widths).
    q = (to_static_shadow * vec4(p + n * 0.08, 1.0)).xyz;
    vec2 away = abs(q.xy - shadow_fade_centre);
    // larger of both distances; 1 within the map's depth
    float rim = max(away.x, away.y), deep = step(abs(q.z - 0.5), 0.499);
#ifdef HIGH
    float near = deep * (1.0 - smoothstep(0.38, 0.45, rim)), static_light = 1.0;
    if (near < 1.0) {
        vec3 far = (to_far_shadow * vec4(p + n * 0.8, 1.0)).xyz;
        if (inside(far) > 0.5) static_light = mix(shadow_taps(shadow_far, far, 0.0016, STATIC_TAPS), 1.0, smoothstep(0.38, 0.46, rim * FAR_SCALE));
    }
    if (near > 0.0) static_light = mix(static_light, shadow_taps(shadow_static, q, 0.0012, STATIC_TAPS), near);
    light = min(light, static_light);
#else
    light = min(light, mix(1.0, texture(shadow_static, q), deep * clamp((0.45 - rim) * 14.0, 0.0, 1.0)));
#endif
    return light;
}

// How much sky reaches a point near the ground below and next to the focus vehicle; 1 away from it.
float under_vehicle(vec3 p) {
    vec3 q = (to_focus_vehicle * vec4(p, 1.0)).xyz;
    vec3 half_size = focus_half_size;
    vec2 beyond = max(abs(q.xy) - half_size.xy + vec2(0.18), vec2(0.0));
    float near = exp(-dot(beyond, beyond) * 5.0) * focus_strength * step(abs(q.z), 1.2);
    if (near < 0.02) return 1.0;
    float open = 1.0 - 0.84 * near * smoothstep(0.9, 0.1, q.z);
#ifdef HIGH
    for (int i = 0; i < TIRE_CONTACTS; ++i) {
        vec3 d = p - tire_contact(i).xyz;
        open *= 1.0 - 0.6 * tire_contact(i).w * exp(-dot(d, d) * 18.0);
    }
#endif
    return open;
}

// Irradiance / pi of the rear lamps of vehicles nearby; a lamp is (position, x of its direction), (colour, y of it).
#if defined(BEAMS) && defined(HIGH)
uniform vec4 rear_lamps[4 * BEAMS];
vec3 rear_light(vec3 p, vec3 n) {
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 2 * BEAMS; ++i) {
        vec4 lamp = rear_lamps[2 * i], colour = rear_lamps[2 * i + 1];
        vec3 d = p - lamp.xyz;
        float far2 = dot(d, d) + 1e-4;
        vec3 l = d * inversesqrt(far2);
        float lobe = smoothstep(0.0, 0.8, dot(l.xy, vec2(lamp.w, colour.w)));
        sum += colour.rgb * (lobe * (0.06 + 0.94 * max(-dot(n, l), 0.0)) / (far2 + 0.6));
    }
    return sum;
}
#else
vec3 rear_light(vec3 p, vec3 n) { return vec3(0.0); }
#endif

// Irradiance / pi of the headlamps nearby; a beam is (position, strength), (direction), and is cut off above its axis.
#ifdef BEAMS
uniform vec4 beams[2 * BEAMS];
vec3 lamp_light(vec3 p, vec3 n) {
    float sum = 0.0;
    for (int i = 0; i < BEAMS; ++i) {
        vec3 d = p - beams[2 * i].xyz, ahead = beams[2 * i + 1].xyz;
        float far2 = dot(d, d) + 1e-4;
        vec3 l = d * inversesqrt(far2);
        float cone = smoothstep(0.80, 0.985, dot(l, ahead)), edge = 1.0 - 0.96 * smoothstep(-0.012, 0.03, l.z - ahead.z);
        sum += beams[2 * i].w * cone * edge / (far2 + 12.0) * (0.06 + 0.94 * max(-dot(n, l), 0.0));
    }
    return sum * vec3(1.0, 0.95, 0.86) + rear_light(p, n);
}
#else
vec3 lamp_light(vec3 p, vec3 n) { return vec3(0.0); }
#endif

// Light of the sky from direction r, blurred by the roughness.
vec3 reflection(vec3 r, float roughness) { return textureLod(sky_cube, r, roughness * 6.0).rgb; }

// Light scattered into the eye near the horizon: the colour of the sky behind the hills.
vec3 haze_light(vec3 direction) {
#ifdef HIGH
    direction.z = max(direction.z, 0.06);
    return textureLod(sky_cube, direction, 3.4).rgb;
#else
    float mu = 0.5 + 0.5 * dot(direction, sun_direction);
    mu *= mu;
    return haze_colour[0] + haze_colour[1] * (mu * mu);
#endif
}

// Share of the light from `far` metres away, at the height `high` (m), that reaches the eye; haze thins with height.
vec3 transmittance(float far, float high) {
    far = max(far - 25.0, 0.0);
    high = max(high, 0.0);
#ifdef HIGH
    return exp(-far * vec3(0.00048, 0.00060, 0.00081) * exp(-high / 420.0));
#else                            // one exponential and its roots for three; (1 + h / 840)^2 is e^(h / 420) within 4 % to 170 m
    float thin = 1.0 + high / 840.0, middle = exp(-far * 0.00062 / (thin * thin));
    float root = sqrt(middle), quarter = sqrt(root);
    return vec3(root * quarter, middle, middle * quarter);
#endif
}

// The light `colour` of a point p as it reaches the eye through the haze.
vec3 haze(vec3 colour, vec3 p) {
    vec3 ray = p - eye_position();
    float far = length(ray);
    vec3 clear = transmittance(far, p.z);
    return colour * clear + haze_light(ray / far) * (1.0 - clear);
}

// To the power of 1 / 2.2.
vec3 gamma(vec3 c) {
#ifdef HIGH
    return pow(c, vec3(1.0 / 2.2));
#else                            // fitted, within 0.002: powers are expensive on software OpenGL
    vec3 root = sqrt(c);
    return 1.0082 * root + 0.0697 * sqrt(root) - 0.0798 * c;
#endif
}

// Tone mapping: exposure, ACES (Hill's fit), a little saturation, bluish shadows and warm highlights, gamma, contrast.
vec3 film(vec3 c) {
    c = min(c, vec3(24.0)) * exposure;
    c = mat3(0.59719, 0.07600, 0.02840, 0.35458, 0.90834, 0.13383, 0.04823, 0.01566, 0.83777) * c;
    c = (c * (c + 0.0245786) - 0.000090537) / (c * (0.983729 * c + 0.4329510) + 0.238081);
    c = mat3(1.60475, -0.10208, -0.00327, -0.53108, 1.10813, -0.07276, -0.07367, -0.00605, 1.07602) * c;
    c = clamp(c, 0.0, 1.0);
    float luma = dot(c, vec3(0.2126, 0.7152, 0.0722));
    c = max(mix(vec3(luma), c, 1.1), 0.0) * mix(vec3(0.955, 0.985, 1.06), vec3(1.035, 1.0, 0.955), luma);
    c = gamma(c);
    return mix(c, c * c * (3.0 - 2.0 * c), 0.1);
}

// Specular GGX term for light from l, n . l included.
float ggx(vec3 n, vec3 v, vec3 l, float roughness) {
    vec3 h = normalize(v + l);
    float a = roughness * roughness, nh = max(dot(n, h), 0.0), nv = max(dot(n, v), 0.02), nl = max(dot(n, l), 0.0);
    float d = nh * nh * (a * a - 1.0) + 1.0;
    float k = a * 0.5;
    return a * a / (3.14159 * d * d) * nl * 0.25 / ((nv * (1.0 - k) + k) * (nl * (1.0 - k) + k));
}

// Karis' fit of the environment BRDF.
vec3 environment_brdf(vec3 f0, float roughness, float nv) {
    vec4 r = roughness * vec4(-1, -0.0275, -0.572, 0.022) + vec4(1, 0.0425, 1.04, -0.04);
    float a = min(r.x * r.x, exp2(-9.28 * nv)) * r.x + r.y;
    vec2 ab = vec2(-1.04, 1.04) * a + r.zw;
    return f0 * ab.x + ab.y;
}
