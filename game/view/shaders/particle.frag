// Smoke and dust: ragged discs that let sun through; grains and droplets; glowing sparks. Premultiplied.
uniform sampler2D noise_map;
// the inputs are explained in particle.vert
in vec2 corner;
in vec3 dim;
in vec3 bright;
in vec4 local_position;
in float alpha;
flat in vec3 feature;
flat in vec4 box;
out vec4 colour_out;
const float BELOW = 0.22;        // m above the vehicle's origin; smoke below this height passes under the vehicle
const float LOWER = 0.35;        // how much lower bonnet and boot are, as a share of the box's height
const vec2 EDGE = vec2(-0.14, 0.14);   // m from the surface of the box between which smoke fades

// 1 outside the vehicle, 0 inside: a disc that is half inside the bodywork would otherwise end at a hard line.
float outside_vehicle() {
    vec2 away = abs(local_position.xy);
    float top = box.z * (1.0 - LOWER * smoothstep(0.4, 1.0, away.y / max(box.y, 0.1)));
    vec3 q = vec3(away - box.xy, max(local_position.z - top, BELOW - local_position.z));
    float far = length(max(q, 0.0)) + min(max(q.x, max(q.y, q.z)), 0.0);
    return mix(1.0, smoothstep(EDGE.x, EDGE.y, far), box.w);
}

void main() {
    float r = dot(corner, corner);
    if (r > 1.0) discard;
    if (feature.x > 1.5) {
        colour_out = vec4(dim, 1.0) * (alpha * (1.0 - r));
        return;
    }
    if (feature.x > 0.5) {  // broken, not round
        vec2 q = abs(corner + 0.5 * (feature.y - 0.5) * corner.yx);
        if (max(q.x + 0.5 * q.y, (1.0 + 0.5 * feature.y) * q.y) > 0.85) discard;
        colour_out = vec4(dim * alpha, alpha);
        return;
    }
    vec2 where = corner * 0.11 + vec2(feature.y * 7.3, feature.y * 3.1) + feature.z * vec2(0.03, -0.05);
    vec4 noise = texture(noise_map, where);
    float body = clamp((1.0 - r) * 1.5 + (noise.x - 0.5) * 1.7 + (noise.z - 0.5) * 0.7 - 0.25, 0.0, 1.0) * (1.0 - r);
    float cover = alpha * body * smoothstep(-0.12, 0.45, local_position.w) * outside_vehicle();
    colour_out = vec4(mix(dim, bright, noise.y) * cover, cover);
}
