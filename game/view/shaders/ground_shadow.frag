// Darkness on the ground below a vehicle, see game/view/light/ground_shadow.py.
uniform vec4 strength;           // of the polygon in light and in the shadow, of the shadow beyond it; width of its edge, m
uniform vec4 edges[EDGES];       // normal x, y, distance
uniform sampler2D fall_off;
in vec4 plan;
out vec4 colour_out;
void main() {
    float outside = -1e3;
    for (int k = 0; k < EDGES; ++k) outside = max(outside, dot(edges[k].xy, plan.zw) - edges[k].z);
    float shadow = strength.w > 0.0 ? 1.0 - smoothstep(-0.5 * strength.w, 0.5 * strength.w, outside) : step(outside, 0.0);
    vec2 beyond = abs(plan.xy - 0.5);
    float polygon = max(beyond.x, beyond.y) < 0.5 ? texture(fall_off, plan.xy).r : 0.0;
    float below = polygon * mix(strength.x, strength.y, shadow);
    colour_out = vec4(0.0, 0.0, 0.0, max(below, shadow * strength.z));
}
