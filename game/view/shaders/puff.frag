// Smoke and dust: ragged discs that let sun through; grains and droplets; glowing sparks. Premultiplied.
uniform sampler2D noise_map;
in vec3 position;
in vec2 corner;
in vec4 tint;
flat in vec4 feature;
out vec4 colour_out;
void main() {
    float r = dot(corner, corner);
    if (r > 1.0) discard;
    vec3 towards = normalize(position - eye_position());
    if (feature.x > 1.5) {  // nearly white at first, and red and dark as it cools
        vec3 glow = pow(tint.rgb, vec3(1.0 + 1.5 * feature.z)) * (6.0 * (1.0 - feature.z));
        colour_out = vec4(film(glow), 1.0) * (tint.a * (1.0 - r));
        return;
    }
    float mu = dot(towards, sun_direction);
    vec3 n = normalize(vec3(-towards.xy * 0.4, 0.75));
    if (feature.x > 0.5) {  // broken, not round
        vec2 q = abs(corner + 0.5 * (feature.y - 0.5) * corner.yx);
        if (max(q.x + 0.5 * q.y, (1.0 + 0.5 * feature.y) * q.y) > 0.85) discard;
        vec3 lit = tint.rgb * (sun_colour * 0.22 + sky_ambient(vec3(0.0, 0.0, 1.0)));
        colour_out = vec4(film(haze(lit, position)) * tint.a, tint.a);
        return;
    }
    vec2 where = corner * 0.11 + vec2(feature.y * 7.3, feature.y * 3.1) + feature.z * vec2(0.03, -0.05);
    vec4 noise = texture(noise_map, where);
    float body = clamp((1.0 - r) * 1.5 + (noise.x - 0.5) * 1.7 + (noise.z - 0.5) * 0.7 - 0.25, 0.0, 1.0) * (1.0 - r);
    float soft = smoothstep(-0.12, 0.45, position.z - feature.w);
    float alpha = tint.a * body * soft;
    float forward = 0.55 + 0.9 * pow(max(mu, 0.0), 5.0);
    vec3 lit = tint.rgb * (sun_colour * (0.31831 * forward * (0.7 + 0.5 * noise.y)) + sky_ambient(n) * 1.1);
    colour_out = vec4(film(haze(lit, position)) * alpha, alpha);
}
